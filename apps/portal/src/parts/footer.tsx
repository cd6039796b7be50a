export function Footer() {
  return (
    <footer class="footer">
      <p>A tally stick was the English Exchequer’s note: split in two, so that either holder could prove it.</p>
      <nav aria-label="For developers">
        <a href="/docs">API reference</a>
        <a href="/openapi.json">OpenAPI</a>
      </nav>
    </footer>
  )
}
