import type { ComponentChildren } from 'preact'

/** Renders a heading with a link to itself. */
export function Heading({
  level,
  id,
  children,
}: {
  readonly level: number
  readonly id: string
  readonly children: ComponentChildren
}) {
  const Tag = `h${level}` as 'h2'
  return (
    <Tag id={id} class="docs-heading">
      <a href={`#${id}`}>{children}</a>
    </Tag>
  )
}
