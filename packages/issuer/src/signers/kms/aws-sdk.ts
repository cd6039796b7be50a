import { invalidConfig } from '@tallystick/core'

/** The part of `@aws-sdk/client-kms` that is used. Declared here, so that the service compiles without the package. */
export type AwsSdk = {
  readonly KMSClient: new (
    options: Readonly<Record<string, unknown>>,
  ) => {
    send(command: object, options: { readonly abortSignal: AbortSignal }): Promise<Readonly<Record<string, unknown>>>
  }
  readonly GetPublicKeyCommand: new (input: { readonly KeyId: string }) => object
  readonly SignCommand: new (input: {
    readonly KeyId: string
    readonly Message: Uint8Array
    readonly MessageType: 'DIGEST'
    readonly SigningAlgorithm: 'ECDSA_SHA_256'
  }) => object
}

/** Imports a package by its name. Tests replace it. */
export type ImportPackage = (name: string) => Promise<unknown>

const packageName = '@aws-sdk/client-kms'

/** Loads the SDK. It is an optional peer dependency: most services do not use it. */
export async function loadAwsSdk(
  importPackage: ImportPackage = (name) => import(/* @vite-ignore */ name),
): Promise<AwsSdk> {
  try {
    return (await importPackage(packageName)) as AwsSdk
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    // The message also names a missing dependency of the package, so the package's own name is compared.
    const isMissing = code === 'ERR_MODULE_NOT_FOUND' && message.includes(`'${packageName}'`)
    const problem = isMissing
      ? `The signer kind "aws-kms" needs the package ${packageName}, which is not installed.`
      : `The package ${packageName}, which the signer kind "aws-kms" needs, cannot be loaded (${code ?? 'no code'}).`
    throw invalidConfig(
      `${problem} Run \`npm install ${packageName}@3\` in the directory where the service is installed.`,
    )
  }
}
