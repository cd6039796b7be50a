/** Secret that is not shown when an object that contains it is printed. */
export type Secret = { reveal(): string }
