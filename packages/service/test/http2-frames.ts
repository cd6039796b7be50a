type Resets = {
  readonly count: number
  /** Number of the first stream. The first connection preface is sent with stream 0. */
  readonly from?: number
  readonly isReset?: boolean
  /** Bytes that the client accepts per stream and on the connection. */
  readonly window?: number
  readonly headers?: Readonly<Record<string, string>>
}

/** Writes the frames of an HTTP/2 client that requests `/notes` on streams and resets each at once. */
export function writeResets({ count, from = 0, isReset = true, window = 65_535, headers = {} }: Resets): Buffer {
  const block = Buffer.concat([
    Buffer.of(0x82, 0x87),
    ...Object.entries({ ':path': '/notes', ':authority': 'localhost', ...headers }).map(writeHeader),
  ])
  const streams = Array.from({ length: count }, (_, index) => {
    const id = 2 * (from + index) + 1
    return isReset ? [writeFrame(1, 5, id, block), writeFrame(3, 0, id, writeUint32(8))] : [writeFrame(1, 5, id, block)]
  })
  return Buffer.concat([...(from === 0 ? writePreface(window) : []), ...streams.flat()])
}

function writePreface(window: number): readonly Buffer[] {
  const initialWindow = Buffer.concat([Buffer.of(0, 4), writeUint32(window)])
  return [
    Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'),
    writeFrame(4, 0, 0, initialWindow),
    writeFrame(8, 0, 0, writeUint32(Math.max(1, window - 65_535))),
  ]
}

function writeFrame(type: number, flags: number, stream: number, payload: Buffer): Buffer {
  const head = Buffer.alloc(9)
  head.writeUIntBE(payload.length, 0, 3)
  head[3] = type
  head[4] = flags
  head.writeUInt32BE(stream, 5)
  return Buffer.concat([head, payload])
}

/** A header that is not compressed (RFC 7541 §6.2.2). Name and value have fewer than 127 bytes. */
function writeHeader([name, value]: readonly [string, string]): Buffer {
  return Buffer.concat([Buffer.of(0, name.length), Buffer.from(name), Buffer.of(value.length), Buffer.from(value)])
}

function writeUint32(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
}
