import { existsSync } from 'node:fs'
import { createPrivateKeySigner } from '@tallystick/issuer'
import {
  addressSchema,
  awsKeySchema,
  checkAuthority,
  checkCertificate,
  gcpKeySchema,
  httpUrl,
  networkSchema,
  secretSchema,
} from '@tallystick/service'
import { isOrigin } from '@tallystick/tlog'
import { z } from 'zod'
import type { Answers } from './questions.ts'

type CheckContext = { readonly answers: Answers; readonly env: Readonly<Record<string, string | undefined>> }
type Check = (value: string, context: CheckContext) => string | undefined

const isReference = (value: string) => /^(env|file):./.test(value)
const signerFault =
  'must be "new", env:NAME, file:path, keystore:path, the URL of a Web3Signer, aws-kms:<key> or gcp-kms:<key version>. Do not give the key itself'
const logFault = 'must be a name such as notes.example/log, without spaces and plus signs'
const secretFault = 'must be "new", env:NAME or file:path. Do not give the secret itself'

/** Returns what is wrong with an answer, or undefined. Messages never contain the answer, which may be a secret. */
export function checkAnswer(name: string, value: string, context: CheckContext): string | undefined {
  return checks[name]?.(value, context)
}

const checkAddress: Check = (value) => faultOf(addressSchema, value)

const checks: Readonly<Record<string, Check>> = {
  cert: (cert) => (cert === '' ? undefined : faultOf(z.string().superRefine(checkAuthority), cert)),
  key: (key, { answers: { cert = '' } }) => faultOf(certificateSchema, { cert, key }),
  proxy: (value) => value.split(',').flatMap((network) => faultOf(networkSchema, network.trim()) ?? [])[0],
  port: checkPort,
  adminPort: checkPort,
  database: checkDatabase,
  chain: (value) => match(value, /^[1-9]\d{0,14}$/, 'must be a chain id, such as 324'),
  name: (value) => match(value, /^[^\p{Cc}]{1,100}$/u, 'must be 1 to 100 characters'),
  pool: checkAddress,
  rpc: (value) => (value === '' ? undefined : checkUrl(value)),
  subgraph: (value, { answers: { rpc } }) => {
    if (value === '') return undefined
    if (value !== 'embedded') return checkUrl(value)
    return rpc === '' ? 'needs an RPC (--rpc), from which it indexes the chain' : undefined
  },
  positions: checkAddress,
  startBlock: (value) => match(value, /^\d{1,15}$/, 'must be a block number'),
  signer: checkSigner,
  signerPassword: (value) => (isReference(value) ? undefined : secretFault.replace('"new", ', '')),
  signerAddress: checkAddress,
  signerCredentials: (value) => (value === '' || isReference(value) ? undefined : secretFault.replace('"new", ', '')),
  adminToken: (value) => (value === 'new' || isReference(value) ? undefined : secretFault),
  curve: (value) => match(value, /^(manual|treasury)$/, 'must be "manual" or "treasury"'),
  log: (value) => (value === '' || isOrigin(value) ? undefined : logFault),
  logKey: (value) => (value === 'new' || isReference(value) ? undefined : secretFault),
  spread: (value) => match(value, /^(-?[1-9]\d{0,3}|-?10000|0)$/, 'must be from -10000 to 10000'),
}

const certificateSchema = z.object({ cert: z.string(), key: z.string() }).superRefine(checkCertificate)

function faultOf(schema: z.ZodType, value: unknown): string | undefined {
  return schema.safeParse(value).error?.issues[0]?.message
}

function match(value: string, form: RegExp, fault: string): string | undefined {
  return form.test(value) ? undefined : fault
}

function checkPort(value: string): string | undefined {
  const isPort = /^\d{1,5}$/.test(value) && Number(value) <= 65_535
  return isPort ? undefined : 'must be a port from 0 to 65535 (0 is any free port)'
}

function checkUrl(value: string): string | undefined {
  return isReference(value) ? undefined : faultOf(httpUrl, value)
}

function checkDatabase(value: string): string | undefined {
  if (isReference(value)) return undefined
  if (!/^postgres(ql)?:\/\/./.test(value) || !URL.canParse(value)) {
    return 'must be file:<directory>, env:NAME, or a postgres:// URL without a password'
  }
  return new URL(value).password === ''
    ? undefined
    : 'has a password, which does not belong in the configuration. Put the URL into a variable and give env:NAME'
}

const checkSignerReference: Check = (value, { env }) => {
  const sources = { env, secrets: 'required', baseDirectory: process.cwd() } as const
  const { data, error } = secretSchema(sources).safeParse(value)
  // A variable may be set for the service alone.
  if (!data) return value.startsWith('env:') ? undefined : error?.issues[0]?.message
  try {
    createPrivateKeySigner(data.reveal())
    return undefined
  } catch {
    return 'is not a private key: 0x and 64 hex digits'
  }
}

function checkSigner(value: string, context: CheckContext): string | undefined {
  if (value === 'new') return undefined
  if (isReference(value)) return checkSignerReference(value, context)
  const [, keystore] = /^keystore:(.+)$/.exec(value) ?? []
  if (keystore !== undefined) return existsSync(keystore) ? undefined : 'names a keystore file that does not exist'
  const [, kind, key] = /^(aws|gcp)-kms:(.*)$/.exec(value) ?? []
  if (kind) return faultOf(kind === 'aws' ? awsKeySchema : gcpKeySchema, key)
  return /^https?:/i.test(value) ? faultOf(httpUrl, value) : signerFault
}
