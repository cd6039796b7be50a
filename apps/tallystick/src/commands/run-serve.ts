import { runService } from '@tallystick/service'

/** Runs the service. A module of its own: a dynamic import of the whole package would put all of it into every command. */
export async function runServe(...given: Parameters<typeof runService>): Promise<void> {
  await runService(...given)
}
