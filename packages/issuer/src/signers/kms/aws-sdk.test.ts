import { expect, test } from 'vitest'
import { loadAwsSdk } from './aws-sdk.ts'

test('error: the package is not installed, or is broken', async () => {
  const failing = (code: string, message: string) => () => Promise.reject(Object.assign(new Error(message), { code }))
  const missing = failing('ERR_MODULE_NOT_FOUND', "Cannot find package '@aws-sdk/client-kms' imported from /x/y.js")
  await expect(loadAwsSdk(missing)).rejects.toMatchObject({
    code: 'invalid_config',
    retryable: false,
    message:
      'The signer kind "aws-kms" needs the package @aws-sdk/client-kms, which is not installed. Run `npm install @aws-sdk/client-kms@3` in the directory where the service is installed.',
  })
  const broken = failing(
    'ERR_MODULE_NOT_FOUND',
    "Cannot find package 'tslib' imported from /x/@aws-sdk/client-kms/y.js",
  )
  await expect(loadAwsSdk(broken)).rejects.toThrow('cannot be loaded (ERR_MODULE_NOT_FOUND)')
})
