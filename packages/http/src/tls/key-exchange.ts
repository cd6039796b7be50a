import { constants } from 'node:crypto'

/**
 * TLS versions, groups and ciphers of the server. The groups are listed because OpenSSL's defaults include finite-field
 * ones, and one ClientHello with ffdhe8192 blocks the main thread for 600 ms. TLS 1.2 is limited to ephemeral keys on the
 * same curves and to AEAD ciphers. All ciphers are secure, so the client chooses the one fastest on its processor.
 * A handshake on an open connection of TLS 1.2 is refused: a client would repeat the expensive part at no cost.
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
  secureOptions: constants.SSL_OP_NO_RENEGOTIATION,
} as const
