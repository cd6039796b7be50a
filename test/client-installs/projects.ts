import { readFileSync } from 'node:fs'

/** Project of an integrator. */
export type Project = {
  readonly name: string
  /** Path → text. */
  readonly files: Readonly<Record<string, string>>
  /** Packages of the registry that it installs beside the SDK. */
  readonly packages: readonly string[]
  /** Installed commands that must succeed. */
  readonly commands: readonly (readonly string[])[]
}

const readManifest = (path: string) => JSON.parse(readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8'))
const sdk = readManifest('packages/client/package.json')
const workspace = readManifest('package.json')
/** The version that this repository is tested with, so that a run does not depend on the day. */
const viem = `viem@${sdk.devDependencies.viem}`
const manifest = JSON.stringify({ name: 'integrator', private: true, type: 'module' })

const useSdk = `import { createClient, type OfferedNote } from '@tallystick/client'
import { type LentPosition, tallystickActions } from '@tallystick/client/viem'
import { createWalletClient, http } from 'viem'

export const client = createClient({ baseUrl: 'https://notes.example' })

export async function lend(note: OfferedNote): Promise<LentPosition> {
  const wallet = createWalletClient({ account: '0x1111111111111111111111111111111111111111', transport: http() })
  const actions = wallet.extend(tallystickActions({ pools: { 324: '0x529d825EBFeFd66B80aC02609c0Fbd9EaaDD6781' } }))
  return (await actions.lend({ note, principal: 1000n * 10n ** 18n })).position
}
`

const strict = { strict: true, exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true, skipLibCheck: true }
const check = { ...strict, target: 'es2022', lib: ['es2023', 'dom'], noEmit: true }
const notesComponent = `import { useNotes, useRate } from '@tallystick/client/react'
import { client, lend } from './sdk'

export function Notes() {
  const state = useNotes(client, { chainId: 324 })
  const { data } = useRate(client)
  if (state.status !== 'ready') return <p>{state.status}</p>
  return state.notes.map((note) => (
    <button type="button" key={note.raw.maturity_timestamp} onClick={() => lend(note)}>
      {note.tenorDays} days, {data?.marketRate}
    </button>
  ))
}
`

export const projects: readonly Project[] = [
  {
    name: 'node',
    files: {
      'package.json': manifest,
      'main.js': `import { createClient } from '@tallystick/client'
createClient({ baseUrl: 'https://notes.example' })
tallystickActions()
// Without React: it is optional.
await import('react').then(
  () => { throw new Error('React was installed.') },
  () => {},
)
`,
    },
    packages: [viem],
    commands: [['node', 'main.js']],
  },
  ...(['node16', 'bundler'] as const).map((moduleResolution) => ({
    name: `typescript-${moduleResolution}`,
    files: {
      'package.json': manifest,
      'sdk.ts': useSdk,
      'notes.tsx': notesComponent.replace("'./sdk'", moduleResolution === 'node16' ? "'./sdk.js'" : "'./sdk'"),
      'tsconfig.json': JSON.stringify({
        compilerOptions: {
          ...check,
          jsx: 'react-jsx',
          module: moduleResolution === 'node16' ? 'node16' : 'esnext',
          moduleResolution,
        },
      }),
    },
    packages: [viem, 'react@19', '@types/react@19', 'typescript@5'],
    commands: [['tsc', '-p', '.']],
  })),
  {
    name: 'vite',
    files: {
      // With the workspace's versions of its bundler.
      'package.json': JSON.stringify({ ...JSON.parse(manifest), overrides: workspace.overrides }),
      'index.html': '<div id="root"></div><script type="module" src="/main.tsx"></script>',
      'sdk.ts': useSdk,
      'notes.tsx': notesComponent,
      'main.tsx': `import { createRoot } from 'react-dom/client'
import { Notes } from './notes'

createRoot(document.getElementById('root')!).render(<Notes />)
`,
    },
    packages: [viem, 'react@19', 'react-dom@19', `vite@${workspace.devDependencies.vite}`],
    commands: [['vite', 'build']],
  },
  {
    name: 'next',
    files: {
      'package.json': manifest,
      'app/layout.tsx': `import type { ReactNode } from 'react'

export default function Layout({ children }: { children: ReactNode }) {
  return (
    <html lang="en">
      <body>{children}</body>
    </html>
  )
}
`,
      // A server component with the client, and a client component with the hooks.
      'app/page.tsx': `import { noteStatus } from '@tallystick/client'
import { Notes } from './notes'

export default function Page() {
  return (
    <main>
      {noteStatus({ validAfter: 1n, validBefore: 3n }, 2n)} <Notes />
    </main>
  )
}
`,
      'app/sdk.ts': useSdk,
      'app/notes.tsx': `'use client'\n\n${notesComponent}`,
      'tsconfig.json': JSON.stringify({
        compilerOptions: {
          ...check,
          jsx: 'react-jsx',
          module: 'esnext',
          moduleResolution: 'bundler',
          esModuleInterop: true,
          isolatedModules: true,
          resolveJsonModule: true,
          allowJs: true,
          incremental: true,
        },
      }),
    },
    packages: [viem, 'next@16', 'react@19', 'react-dom@19', '@types/react@19', '@types/node@22', 'typescript@5'],
    commands: [['next', 'build']],
  },
]
