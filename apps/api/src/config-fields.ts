import { type Address, getAddress, isAddress } from 'viem'
import { z } from 'zod'

export const portSchema = z.int().min(0).max(65_535)

export const addressSchema = z
  .string()
  .refine((value) => isAddress(value), 'must be an address: 0x and 40 hex digits, with a valid checksum if mixed case')
  .transform((value): Address => getAddress(value))

// Zod skips a check of the whole if a part is invalid. As `when`, these make it run, so that every fault is listed.
export function isList({ value }: { readonly value: unknown }): boolean {
  return Array.isArray(value)
}

export function isObject({ value }: { readonly value: unknown }): boolean {
  return typeof value === 'object' && value !== null
}
