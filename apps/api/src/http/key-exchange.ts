/**
 * What the TLS server agrees to. The groups are named because OpenSSL's own list has finite-field ones, and one ClientHello
 * with ffdhe8192 takes 600 ms of the main thread. TLS 1.2 is limited to ephemeral keys on the same curves and to ciphers
 * with authentication (AEAD). Every cipher is sound, so the client chooses the one its processor is fastest with.
 */
export const keyExchange = {
  minVersion: 'TLSv1.2',
  ecdhCurve: 'X25519:P-256:P-384',
  ciphers: [
    'TLS_AES_128_GCM_SHA256',
    'TLS_AES_256_GCM_SHA384',
    'TLS_CHACHA20_POLY1305_SHA256',
    'ECDHE-ECDSA-AES128-GCM-SHA256',
    'ECDHE-RSA-AES128-GCM-SHA256',
    'ECDHE-ECDSA-AES256-GCM-SHA384',
    'ECDHE-RSA-AES256-GCM-SHA384',
    'ECDHE-ECDSA-CHACHA20-POLY1305',
    'ECDHE-RSA-CHACHA20-POLY1305',
  ].join(':'),
  honorCipherOrder: false,
} as const
