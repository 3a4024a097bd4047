/**
 * The store at work. A mutation is prepared on the caller's thread: checked, its old bytes read,
 * its new bytes written to free blocks. Then it joins the commit queue; whoever finds the queue
 * without a committer commits for all in one batch, deciding each mutation against the state that
 * the ones before it leave ({@link org.weft.osd.store.engine.Committer}). Decisions are
 * single-threaded and the only place where state changes; no lock is held over data IO.
 *
 * <p>Blocks that a commit overwrites or removes stay untouched until a checkpoint covers the commit
 * and no reader holds them ({@link org.weft.osd.store.engine.Checkpointer}): until then a power
 * loss may take the commit back.
 */
package org.weft.osd.store.engine;
