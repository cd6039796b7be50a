import { randomBytes } from 'node:crypto'
import { type Clock, systemTime, toSeconds } from '@tallystick/base'
import { type DeliveryReport, eventTypes, type HookTest } from '@tallystick/core'
import type { Auditor, Database } from '@tallystick/database'
import {
  attemptDelivery,
  createAddressPolicy,
  createHook,
  createSender,
  enableHook,
  findMessage,
  findUrlFault,
  getDelivery,
  getHook,
  listAttempts,
  listDeliveries,
  listHooks,
  readHookSecrets,
  removeHook,
  resendDelivery,
  rotateHook,
  type Sender,
  testMessage,
} from '@tallystick/notify'
import { z } from 'zod'
import type { Config } from '../config/config.ts'
import { viewAttempt, viewDelivery, viewHook, viewListedHook } from './hook-view.ts'
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
    showDelivery: (id: string, event: string) => showDelivery(database, id, event),
    resendDelivery: (id: string, event: string) => resend(context, id, event),
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

async function showDelivery(database: Database, id: string, event: string): Promise<DeliveryReport> {
  const hook = await getHook(database, id)
  const delivery = await getDelivery(database, { id: hook.id, event })
  const message = await findMessage(database, hook, delivery)
  const attempts = await listAttempts(database, { hookId: hook.id, eventId: delivery.eventId })
  return {
    delivery: viewDelivery(delivery),
    payload: message?.body.toString('utf8') ?? null,
    attempts: attempts.map(viewAttempt),
  }
}

async function resend(context: HookOperatorContext, id: string, event: string) {
  const { database, clock, auditor } = context
  const options = { id, event, sender: senderOf(context), nowMs: clock.now(), time: systemTime, auditor }
  const { hook, delivery, attempt } = await resendDelivery(database, options)
  const { isDelivered, status, error, durationMs } = attempt
  return { hook: viewHook(hook), delivery: viewDelivery(delivery), isDelivered, status, error, durationMs }
}

function senderOf({ sender, config }: HookOperatorContext): Sender {
  return sender ?? createSender({ policy: createAddressPolicy(config.hooks) })
}

/** Sends a test event at once, also to a hook that is switched off. It changes nothing. */
async function testHook(context: HookOperatorContext, id: string): Promise<HookTest> {
  const { database, clock } = context
  const hook = await getHook(database, id)
  const nowMs = clock.now()
  const secrets = await readHookSecrets(database, { id: hook.id, nowSeconds: toSeconds(nowMs) })
  const message = testMessage(hook.id, { nonce: randomBytes(6).toString('hex'), nowMs })
  const signal = new AbortController().signal
  const options = { message, secrets, nowMs, time: systemTime, signal }
  const { isDelivered, status, error, durationMs } = await attemptDelivery(senderOf(context), hook, options)
  return { hook: viewHook(hook), isDelivered, status, error, durationMs }
}
