// Generated from packages/contracts/solidity by `npm run compile -w packages/contracts`.

/** First topic of each event's logs: the Keccak-256 hash of its signature. */
export const eventTopics = {
  Approval: '0x8c5be1e5ebec7d5bd14f71427d1e84f3dd0314c0f7b2291e5b200ac8c7c3b925',
  ApprovalForAll: '0x17307eab39ab6107e8899845ad3d59bd9653f200f220920489ca2b5937696c31',
  Claim: '0x2ac8993596c635463087675623535e989be74f417ee8b06fc8ba887b92fc8002',
  EIP712DomainChanged: '0x0a6387c9ea3628b88a633bb4f3b151770f70085117a15f9bf3787cda53f13d31',
  FeedSignatureVerifier__SignerChanged: '0x38616e52dcd6365622215274e9d88e26430dc7ba36ee14cb268ea4f4615e4e28',
  Lend: '0x024d497bd8bbaff087542c28801e70ae55eb164aea2c8a4941f095cff5dc0e37',
  MaxCouponLimitUpdated: '0xb3431d6b09a5ce7a809610c601d5c2203f499ee05edea5679f09ef6fb94683df',
  MinLendLimitUpdated: '0x0018e98cbe409d8597af59fc7c9e429d99ff72477ae0e0ee460563228ff6ab20',
  MinMaturityLimitUpdated: '0x5ad0903fdd1a07e5f4afe5926df96c7a350140a3c4fd94f56701891126f79fe4',
  PartnerCreated: '0x1e7b9acfc1d15b0b445af8f31849dc95fcddbd405b0112f2ec93c86a2b881029',
  PartnerFeeChanged: '0xadd4efdd212efbed11986534efc6aaa8cafb3c81e811cbc9868fcc1266a7a07f',
  PartnerOwnershipTransferred: '0xbcce7c05a96f8a77f4e0ea5c37b687f4852929708f5c61b41280db0cdfe0f467',
  PartnerVaultChanged: '0x5a1c38203e40aa8ab57eb56234082839ffd4b38808cfe705e4286ff1848f4d1e',
  Paused: '0x62e78cea01bee320cd4e420270b5ea74000d11b0c9f74754ebdbfc544b05a258',
  RoleAdminChanged: '0xbd79b86ffe0ab8e8776151514217cd7cacd52c909f66475c3af44e129f0b00ff',
  RoleGranted: '0x2f8788117e7eff1d82e926ec794901d17c78024a50270940304540a733656f0d',
  RoleRevoked: '0xf6391f5c32d9c69d2a47ea670b442974b53935d1edc7fd64eb21e047a839171b',
  Transfer: '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef',
  Unpaused: '0x5db9ee0a495bf2e6ff9c91a7834c1ba4fdd244a5e8aa4e537bd38aeae4b073aa',
  UpdateDailyFloatingIncome: '0xe39871f9ccfca2c6ab23fb8309c611fb9a2598bb9fe270464aaacd662e614df4',
  UpdatePreviousFloatingIncome: '0xceeac73cfd3c9fc0067ad3b7d38c2d885fa9e70d08f5a51485b4fac5cff3e238',
} as const
