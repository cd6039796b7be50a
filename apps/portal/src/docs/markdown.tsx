import { Notice } from '@tallystick/ui'
import { listEndpoints } from './openapi/openapi.ts'
import { useDocs } from './requests/docs-context.ts'
import { EndpointExample, Example } from './requests/example.tsx'
import { fillSample } from './requests/fill-sample.ts'
import { Code, Heading, Inline, Paragraph, Table } from './text/elements.tsx'
import type { Block } from './text/parse-markdown.ts'

/** Renders the blocks of a Markdown text. */
export function Markdown({ blocks, label }: { readonly blocks: readonly Block[]; readonly label: string }) {
  return (
    <>
      {blocks.map((block, index) => (
        <BlockView key={index} block={block} label={label} />
      ))}
    </>
  )
}

function BlockView({ block, label }: { readonly block: Block; readonly label: string }) {
  switch (block.kind) {
    case 'heading':
      return (
        <Heading level={Math.max(2, block.level)} id={block.id}>
          <Inline text={block.text} />
        </Heading>
      )
    case 'paragraph':
      return <Paragraph text={block.text} />
    case 'note':
      return <Paragraph class="docs-note" text={block.text} />
    case 'list':
      return <List {...block} />
    case 'table':
      return (
        <Table
          label={label}
          columns={block.columns}
          rows={block.rows.map((cells) => cells.map((cell) => <Inline key={cell} text={cell} />))}
        />
      )
    case 'samples':
      return <Example label={label} format={(context) => block.samples.map((sample) => fillSample(sample, context))} />
    case 'text':
      return <Code source={block.source} language="text" label={label} />
    case 'try':
      return <GuideRequest operationId={block.operationId} />
  }
}

function List({ isOrdered, items }: { readonly isOrdered: boolean; readonly items: readonly string[] }) {
  const children = items.map((item) => (
    <li key={item}>
      <Inline text={item} />
    </li>
  ))
  return isOrdered ? <ol class="docs-list">{children}</ol> : <ul class="docs-list">{children}</ul>
}

/** Renders the request of an endpoint inside a guide. */
function GuideRequest({ operationId }: { readonly operationId: string }) {
  const { document } = useDocs()
  if (!document) return null
  const endpoint = listEndpoints(document).find(({ operation }) => operation.operationId === operationId)
  if (endpoint) return <EndpointExample endpoint={endpoint} />
  return <Notice tone="calm" title="This service does not have this endpoint" />
}
