/** The build loads Markdown files as text. */
declare module '*.md' {
  const text: string
  export default text
}
