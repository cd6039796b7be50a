import { randomBytes } from 'node:crypto'
import { type Clock, systemTime, toSeconds } from '@tallystick/base'
import { eventTypes, type HookTest } from '@tallystick/core'
import type { Auditor, Database } from '@tallystick/database'
import {
  attemptDelivery,
  createAddressPolicy,
  createHook,
  createSender,
  enableHook,
  findUrlFault,
  getHook,
  listDeliveries,
  listHooks,
  readHookSecrets,
  removeHook,
  rotateHook,
  type Sender,
  testMessage,
} from '@tallystick/notify'
import { z } from 'zod'
import type { Config } from '../config/config.ts'
import { viewDelivery, viewHook, viewListedHook } from './hook-view.ts'
import { parseRequest } from './parse-request.ts'

export type HookOperator = ReturnType<typeof createHookOperator>

export type HookOperatorContext = {
  readonly database: Database
  readonly config: Pick<Config, 'chains' | 'hooks'>
  readonly clock: Clock
  readonly auditor: Auditor
  /** Sends test events. By default one is opened for each test. */
  readonly sender?: Sender | undefined
}

const rotationSchema = z.strictObject({
  graceSeconds: z
    .int()
    .min(0)
    .max(30 * 86_400)
    .default(86_400),
})
const limitSchema = z.int().min(1).max(200).default(50)

export function createHookOperator(context: HookOperatorContext) {
  const { database, clock, auditor } = context
  const newHook = newHookSchema(context.config)
  const now = () => toSeconds(clock.now())
  return {
    addHook: async (request: unknown) => {
      const parsed = parseRequest(newHook, request, 'invalid_hook')
      const { hook, secret } = await createHook(database, { hook: parsed, nowSeconds: now(), auditor })
      return { hook: viewHook(hook), secret }
    },
    listHooks: async () => ({ hooks: (await listHooks(database, { nowSeconds: now() })).map(viewListedHook) }),
    testHook: (id: string) => testHook(context, id),
    removeHook: async (id: string) => ({ hook: viewHook(await removeHook(database, { id, auditor })) }),
    rotateHook: async (id: string, request: unknown) => {
      const { graceSeconds } = parseRequest(rotationSchema, request ?? {}, 'invalid_hook')
      const { hook, secret } = await rotateHook(database, { id, graceSeconds, nowSeconds: now(), auditor })
      return { hook: viewHook(hook), secret }
    },
    enableHook: async (id: string) => ({ hook: viewHook(await enableHook(database, { id, auditor })) }),
    listDeliveries: async (id: string, wanted?: number) => {
      const limit = parseRequest(limitSchema, wanted, 'invalid_parameter')
      const { id: known } = await getHook(database, id)
      return { deliveries: (await listDeliveries(database, { id: known, limit })).map(viewDelivery) }
    },
  }
}

function newHookSchema({ chains, hooks }: HookOperatorContext['config']) {
  const policy = createAddressPolicy(hooks)
  const ids = chains.map(({ id }) => id)
  return z.strictObject({
    url: z.string().superRefine((text, context) => {
      const message = findUrlFault(text, policy)
      if (message !== undefined) context.addIssue({ code: 'custom', message })
    }),
    types: z
      .array(z.enum(eventTypes))
      .min(1)
      .transform((types) => [...new Set(types)]),
    chainId: z
      .int()
      .refine((id) => ids.includes(id), `must be one of the configured chains: ${ids.join(', ')}`)
      .nullable()
      .default(null),
  })
}

/** Sends a test event at once, also to a hook that is switched off. It changes nothing. */
async function testHook(
  { database, config, clock, sender: given }: HookOperatorContext,
  id: string,
): Promise<HookTest> {
  const hook = await getHook(database, id)
  const nowMs = clock.now()
  const secrets = await readHookSecrets(database, { id: hook.id, nowSeconds: toSeconds(nowMs) })
  const message = testMessage(hook.id, { nonce: randomBytes(6).toString('hex'), nowMs })
  const sender = given ?? createSender({ policy: createAddressPolicy(config.hooks) })
  const signal = new AbortController().signal
  const options = { message, secrets, nowMs, time: systemTime, signal }
  const { isDelivered, status, error, durationMs } = await attemptDelivery(sender, hook, options)
  return { hook: viewHook(hook), isDelivered, status, error, durationMs }
}
