import { writeFileSync } from 'node:fs'
import { buildDocument } from './src/openapi/build-document.ts'
import { renderDocs } from './src/openapi/docs/render-docs.ts'
import { createConfig, lintFromString, stringifyYaml } from '@redocly/openapi-core'
const d = buildDocument({ chainIds: [324], dataChainIds: [324], subgraphChainIds: [324], endpoints: ['/notes'] })
writeFileSync('/tmp/openapi.json', JSON.stringify(d, null, 1)); writeFileSync('/tmp/docs.html', renderDocs(d).html)
console.time('lint')
const config = await createConfig({ extends: ['recommended-strict'] })
const problems = await lintFromString({ source: JSON.stringify(d), config })
console.timeEnd('lint')
for (const p of problems) console.log(p.severity, p.ruleId, p.message.slice(0,200), p.location?.[0]?.pointer)
