/** Renders the logo: two halves of a split tally stick with matching notches. */
export function Mark() {
  return (
    <svg class="mark" viewBox="0 0 32 32" aria-hidden="true">
      <path d="M2 7h5l2.2 4.4L11.4 7h3.2l2.2 4.4L19 7h3.2l2.2 4.4L26.6 7H30v8.2H2z" />
      <path class="mark-foil" d="M2 25h5l2.2-4.4 2.2 4.4h3.2l2.2-4.4L19 25h3.2l2.2-4.4 2.2 4.4H30v-8.2H2z" />
    </svg>
  )
}

const paths = {
  sun: 'M12 4V2m0 20v-2m8-8h2M2 12h2m13.7-5.7 1.4-1.4M4.9 19.1l1.4-1.4m0-11.4L4.9 4.9m14.2 14.2-1.4-1.4M12 16a4 4 0 1 0 0-8 4 4 0 0 0 0 8Z',
  moon: 'M20.4 14.2A8.5 8.5 0 0 1 9.8 3.6a8.5 8.5 0 1 0 10.6 10.6Z',
  key: 'M14.5 9.5a4.5 4.5 0 1 0-4.2 4.5l1.7 1.7h2v2h2v2h3.5v-3L14 11.2c.3-.5.5-1.1.5-1.7ZM8.6 8.6h.01',
  check: 'm5 12.5 4.5 4.5L19 7.5',
  calendar:
    'M7 3.5v3m10-3v3M4 9.5h16M5.5 5h13A1.5 1.5 0 0 1 20 6.5v12a1.5 1.5 0 0 1-1.5 1.5h-13A1.5 1.5 0 0 1 4 18.5v-12A1.5 1.5 0 0 1 5.5 5Z',
  cross: 'M6 6l12 12M18 6 6 18',
  clock: 'M12 7v5l3 2m6-2a9 9 0 1 1-18 0 9 9 0 0 1 18 0Z',
  alert: 'M12 8v5m0 3.5v.01M10.3 3.9 2.5 17.5A2 2 0 0 0 4.2 20.5h15.6a2 2 0 0 0 1.7-3L13.7 3.9a2 2 0 0 0-3.4 0Z',
  download: 'M12 4v11m-4.5-4.5L12 15l4.5-4.5M5 19.5h14',
  play: 'M8 5.5v13l10-6.5z',
  copy: 'M9 9h10v11H9zM15 9V4H5v11h4',
} as const

export type IconName = keyof typeof paths

/** Renders a decorative icon. Text next to it must carry the meaning. */
export function Icon({ name }: { readonly name: IconName }) {
  return (
    <svg class="icon" viewBox="0 0 24 24" aria-hidden="true">
      <path d={paths[name]} />
    </svg>
  )
}
