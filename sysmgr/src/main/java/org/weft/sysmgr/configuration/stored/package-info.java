/**
 * Bytes of commands, answers and snapshots, in the messages of sysmgr-state.proto. Each {@code
 * *Codec} class encodes and decodes what one kind of rule stores; {@code CommandCodec}, {@code
 * AnswerCodec} and {@code SnapshotCodec} are what other packages call. What an older release has
 * stored stays readable. Uses {@code command} and {@code state}, and what they use. Pure.
 */
package org.weft.sysmgr.configuration.stored;
