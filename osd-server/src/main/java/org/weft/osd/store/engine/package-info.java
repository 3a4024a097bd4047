/**
 * The store at work. A mutation is prepared on the caller's thread: checked, its old bytes read,
 * its new bytes written to free blocks. Then it joins the commit queue. The thread that finds no
 * committer commits for all in one batch, and decides each mutation against the state that the ones
 * before it leave. Decisions are single-threaded and the only place where state changes; no lock is
 * held over data IO.
 *
 * <p>Blocks that a commit overwrites or removes stay untouched until a checkpoint covers the commit
 * and no reader holds them. Until then a power loss may take the commit back.
 *
 * <p>This package is on top: {@link org.weft.osd.store.engine.OsdfsStore} is the store, and {@code
 * StoreOpening} puts it together. The packages below it use each other one way: {@code read} uses
 * {@code change}, which uses {@code commit}. {@code recovery} runs before any of them. All use
 * {@code block} and {@code state}, which is at the bottom.
 */
package org.weft.osd.store.engine;
