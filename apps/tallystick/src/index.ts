export { runDoctor } from './doctor/run-doctor.ts'
