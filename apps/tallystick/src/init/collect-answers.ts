import { checkAnswer } from './check-answer.ts'
import type { Answers, Question } from './questions.ts'

export type CollectOptions = {
  readonly questions: readonly Question[]
  /** Ids of the chains that the configuration has. */
  readonly chainsTaken?: readonly string[] | undefined
  /** Answers of the command line. */
  readonly given: Readonly<Record<string, string | undefined>>
  readonly env: Readonly<Record<string, string | undefined>>
  /** Asks the world about an answer that has the right form. Returns what is wrong with it. Undefined: nothing is asked. */
  readonly probe?: ((name: string, answer: string, answers: Answers) => Promise<string | undefined>) | undefined
  /** Asks a question until it has an answer. Undefined if nothing may be asked. */
  readonly ask?: ((question: Question, context: AskContext) => Promise<string>) | undefined
}

type AskContext = {
  readonly fallback: string | undefined
  /** Returns what is wrong with an answer, or undefined. */
  readonly check: (answer: string) => Promise<string | undefined>
}

/** An option is missing or has a wrong value. */
export class WrongOptionError extends Error {
  override readonly name = 'WrongOptionError' as const
}

/** Returns the answer to every question that applies: from an option, by asking, or its fallback. */
export async function collectAnswers(options: CollectOptions): Promise<Answers> {
  const { questions, chainsTaken = [], given, env, probe, ask } = options
  const answers: Record<string, string> = {}
  const missing: string[] = []
  for (const question of questions) {
    const { name, fallback, applies, isSilent } = question
    const option = given[name]
    if (applies && !applies(answers)) {
      if (option !== undefined) throw new WrongOptionError(`${flagOf(question)} has no effect with the other answers.`)
      continue
    }
    const otherwise = fallback?.(answers)
    const check = async (answer: string) => {
      if (answer === otherwise) return undefined
      if (name === 'chain' && chainsTaken.includes(answer)) return 'is in the configuration already'
      return checkAnswer(name, answer, { answers, env }) ?? probe?.(name, answer, answers)
    }
    if (option === undefined && ask && !isSilent) {
      answers[name] = await ask(question, { fallback: otherwise, check })
      continue
    }
    const answer = option ?? otherwise
    if (answer === undefined) missing.push(flagOf(question))
    const fault = answer === undefined ? undefined : await check(answer)
    if (fault) throw new WrongOptionError(`${flagOf(question)} ${fault}.`)
    answers[name] = answer ?? ''
  }
  if (missing.length > 0) throw new WrongOptionError(`${missing.join(', ')}: needed with --yes, which asks nothing.`)
  return answers
}

function flagOf({ flags }: Question): string {
  return flags.split(' ')[0] as string
}
