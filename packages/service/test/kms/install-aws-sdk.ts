import { fileURLToPath } from 'node:url'
import { installPackages, linkPackage } from '@tallystick/workbench/install-packages'

/** Installs the SDK of AWS, unless it is there, where the service finds it. */
export async function installAwsSdk(): Promise<void> {
  const folder = fileURLToPath(new URL('aws-sdk', import.meta.url))
  await installPackages(folder)
  await linkPackage(folder, '@aws-sdk/client-kms')
}
