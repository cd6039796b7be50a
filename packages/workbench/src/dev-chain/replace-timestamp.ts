const timestampOpcode = 0x42
const selfBalanceOpcode = 0x47
const push1Opcode = 0x60
const push32Opcode = 0x7f

/**
 * Replaces each TIMESTAMP instruction of a contract's code with SELFBALANCE. A balance override then
 * sets the time that the contract reads. Data of PUSH instructions is unchanged. Both opcodes are 1 byte, so jumps stay valid.
 */
export function replaceTimestamp(code: string): string {
  const bytes = Buffer.from(code.slice(2), 'hex')
  for (let at = 0; at < bytes.length; at += 1) {
    const opcode = bytes[at] as number
    if (opcode === timestampOpcode) bytes[at] = selfBalanceOpcode
    if (opcode >= push1Opcode && opcode <= push32Opcode) at += opcode - push1Opcode + 1
  }
  return `0x${bytes.toString('hex')}`
}
