// graph-node names root fields with the Rust crate Inflector 0.11.4. These are its rules, odd ones included ("person" becomes
// "personople"). They are case-sensitive, so Person becomes persons. The first match applies. Its lower-case special words
// (ox, sheep, …) are omitted, because a type name starts with a capital letter.
const pluralRules: readonly (readonly [RegExp, string])[] = [
  [/(eaux)$/, '$1'],
  [/(child)(?:ren)?$/, '$1ren'],
  [/(pe(?:rson|ople))$/, '$1ople'],
  [/([ml](?:ice|ouse))$/, '$1ice'],
  [/(matr|cod|mur|sil|vert|ind|append)(?:ix|ex)$/, '$1ices'],
  [/(x|ch|ss|sh|zz)$/, '$1es'],
  [/((?:x|ch|ss|sh|zz)es)$/, '$1'],
  [/([^ch][ieo][ln])ey$/, '$1ies'],
  [/([^aeiouy]|qu)y$/, '$1ies'],
  [/(ar|l|ea|eo|oa|hoo)f$/, '$1ves'],
  [/(kni|wi|li)fe$/, '$1ves'],
  [/sis$/, 'ses'],
  [/(apheli|hyperbat|periheli|asyndet|noumen|phenomen|criteri|organ|prolegomen|hedr|automat)(?:a|on)$/, '$1a'],
  [
    /(agend|addend|millenni|dat|extrem|bacteri|desiderat|strat|candelabr|errat|ov|symposi|curricul|automat|quor)(?:a|um)$/,
    '$1a',
  ],
  [/(her|at|gr)o$/, '$1oes'],
  [/(seraph|cherub)(?:im)?$/, '$1im'],
  [/(alumn|alg|vertebr)(?:a|ae)$/, '$1ae'],
  [/(alumn|syllab|octop|vir|radi|nucle|fung|cact|stimul|termin|bacill|foc|uter|loc|strat)(?:us|i)$/, '$1i'],
  [/([^l]ias|[aeiou]las|[emjzr]as|[iu]am)$/, '$1'],
  [/(e[mn]u)s?$/, '$1s'],
  [/(alias|[^aou]us|tlas|gas|ris)$/, '$1es'],
  [/(ax|test)is$/, '$1es'],
  [/([^aeiou]ese)$/, '$1'],
  [/s$/, 's'],
]

/** Returns the names of an entity's two root fields: by id and for the collection. */
export function rootFieldNames(entityName: string): { readonly singular: string; readonly plural: string } {
  const singular = camelCase(entityName)
  const plural = camelCase(pluralise(entityName))
  return { singular, plural: plural === singular ? `${plural}_collection` : plural }
}

function pluralise(name: string): string {
  const rule = pluralRules.find(([pattern]) => pattern.test(name))
  return rule ? name.replace(rule[0], rule[1]) : `${name}s`
}

function camelCase(name: string): string {
  let result = ''
  let startsWord = false
  // Letters that start a word are not remembered, so PoolABC keeps its capitals and USDCPool does not.
  let previous = ''
  for (const character of name.replace(/_+$/, '')) {
    if (character === '_') {
      startsWord = result !== ''
    } else if (/\d/.test(character)) {
      startsWord = true
      result += character
    } else if (startsWord || (/[a-z]/.test(previous) && /[A-Z]/.test(character))) {
      startsWord = false
      result += character.toUpperCase()
    } else {
      previous = character
      result += character.toLowerCase()
    }
  }
  return result
}
