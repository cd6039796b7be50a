import { delimiter } from 'node:path'

// Variables that `npm run` sets for its script. They would point the npm of a clone to this directory. Settings of the
// user, such as npm_config_registry, stay.
const ownNames =
  /^(npm_(package|lifecycle)_.*|npm_(command|execpath|node_execpath)|npm_config_(local_prefix|prefix|global_prefix|user_agent|node_gyp|npm_version)|NODE|NODE_OPTIONS|INIT_CWD|FORCE_COLOR)$/

/** Returns the environment without the variables of `npm run`, with a directory first on PATH. */
export function cleanEnvironment(env: NodeJS.ProcessEnv, firstOnPath: string): NodeJS.ProcessEnv {
  const kept = Object.entries(env).filter(([name]) => !ownNames.test(name))
  const path = (env['PATH'] ?? '').split(delimiter).filter((place) => !/node_modules\/\.bin|node-gyp-bin/.test(place))
  return { ...Object.fromEntries(kept), PATH: [firstOnPath, ...path].join(delimiter), NO_COLOR: '1' }
}
