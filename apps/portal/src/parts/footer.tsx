export function Footer() {
  return (
    <footer class="spread footer hint">
      <p>A tally stick recorded a debt to the English Exchequer. It was split in two, so that each party held proof.</p>
      <nav aria-label="For developers">
        <a href="/docs">Documentation</a>
        <a href="/openapi.json">OpenAPI</a>
      </nav>
    </footer>
  )
}
