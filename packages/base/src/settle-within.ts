/** Waits until work settles, but not longer than a limit. */
export async function settleWithin(work: Promise<unknown>, limitMs: number): Promise<void> {
  await within(work, { limitMs, onLate: () => undefined })
}

/** Resolves to the result of work, or to what `onLate` returns, or throws, if the work takes longer than a limit. */
export async function within<Result, Late>(
  work: Promise<Result>,
  { limitMs, onLate }: { readonly limitMs: number; readonly onLate: () => Late },
): Promise<Result | Late> {
  let timer: NodeJS.Timeout | undefined
  const limit = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, limitMs)
  })
  return Promise.race([work, limit.then(onLate)]).finally(() => clearTimeout(timer))
}
