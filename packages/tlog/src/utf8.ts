import { bytesToUtf8, utf8ToBytes } from '@noble/hashes/utils'

export const encodeUtf8: (text: string) => Uint8Array = utf8ToBytes
export const decodeUtf8: (bytes: Uint8Array) => string = bytesToUtf8
