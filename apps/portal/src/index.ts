export { parseMarkdown } from './docs/parse-markdown.ts'
export { parseGuide, readErrorGuide } from './docs/read-guide.ts'
