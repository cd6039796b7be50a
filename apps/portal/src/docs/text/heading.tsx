import type { ComponentChildren } from 'preact'

type HeadingProps = {
  readonly level: number
  readonly id: string
  readonly children: ComponentChildren
}

/** Renders a heading with a link to itself. */
export function Heading({ level, id, children }: HeadingProps) {
  const Tag = `h${level}` as 'h2'
  return (
    <Tag id={id} class="docs-heading">
      <a href={`#${id}`}>{children}</a>
    </Tag>
  )
}
