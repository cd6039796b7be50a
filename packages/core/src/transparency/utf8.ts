import { bytesToString, stringToBytes } from 'viem/utils'

export const encodeUtf8: (text: string) => Uint8Array = stringToBytes
export const decodeUtf8: (bytes: Uint8Array) => string = bytesToString
