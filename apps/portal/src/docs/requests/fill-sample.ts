import type { Sample } from '../text/part.ts'
import type { SampleContext } from './format-request.ts'

const environmentLine = "const { TALLYSTICK_URL = '', TALLYSTICK_KEY = '' } = process.env\n"

/** Replaces the variables of an example with the URL of this service and the key of the visitor. */
export function fillSample({ language, source }: Sample, context: SampleContext): Sample {
  return { language, source: fillers[language]?.(source, context) ?? source }
}

type Fill = (source: string, context: SampleContext) => string

const fillers: Readonly<Record<string, Fill>> = {
  ...{ sh: fillShell, ts: fillTypescript, tsx: fillTypescript, python: fillPython, go: fillGo },
}

function fillShell(source: string, { baseUrl, apiKey, caCert }: SampleContext): string {
  const trusted = caCert === undefined ? source : source.replaceAll(/^curl /gm, `curl --cacert '${caCert}' `)
  const addressed = trusted
    .replaceAll('$TALLYSTICK_URL', baseUrl)
    .replaceAll(/^(export TALLYSTICK_URL=).*$/gm, `$1${baseUrl}`)
  if (apiKey === undefined) return addressed
  return addressed.replaceAll('$TALLYSTICK_KEY', apiKey).replaceAll(/^(export TALLYSTICK_KEY=).*$/gm, `$1${apiKey}`)
}

function fillTypescript(source: string, { baseUrl, apiKey }: SampleContext): string {
  const key = apiKey === undefined ? "process.env['TALLYSTICK_KEY']" : `'${apiKey}'`
  return source
    .replace(environmentLine, '')
    .replaceAll(/\$\{TALLYSTICK_URL\}/g, baseUrl)
    .replaceAll(/\bTALLYSTICK_URL\b/g, `'${baseUrl}'`)
    .replaceAll(/\bTALLYSTICK_KEY\b(?!')/g, key)
}

function fillPython(source: string, { baseUrl, apiKey }: SampleContext): string {
  const addressed = source.replaceAll('os.environ["TALLYSTICK_URL"]', JSON.stringify(baseUrl))
  const filled =
    apiKey === undefined ? addressed : addressed.replaceAll('os.environ["TALLYSTICK_KEY"]', JSON.stringify(apiKey))
  return /\bos\./.test(filled) ? filled : filled.replace(/^import os\n/m, '')
}

function fillGo(source: string, { baseUrl, apiKey }: SampleContext): string {
  const addressed = source.replaceAll('os.Getenv("TALLYSTICK_URL")', JSON.stringify(baseUrl))
  const filled =
    apiKey === undefined ? addressed : addressed.replaceAll('os.Getenv("TALLYSTICK_KEY")', JSON.stringify(apiKey))
  return /\bos\./.test(filled) ? filled : filled.replace(/^\t"os"\n/m, '')
}
