// Runs before the first paint, so that the shell has the colours of the page. Only then the rest of the page begins to
// load: on a slow line it would take the time of the style sheet, without which nothing is painted.
import { applyStoredTheme } from '@tallystick/ui'

applyStoredTheme()
document.addEventListener('DOMContentLoaded', () => {
  const rest = document.querySelector<HTMLTemplateElement>('#rest')
  if (rest) document.body.append(rest.content.cloneNode(true))
})
