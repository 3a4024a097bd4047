package org.weft.metadata.objects;

import org.weft.metadata.journal.JournalContents;

/**
 * Redo of a journal's tail into an empty cache (P 6.3): starts each directory from the replica with
 * the lowest LSN, and leaves alone what the tail itself removes later. Single-threaded.
 *
 * <pre>
 *   TailReplay replay = new TailReplay(cache, contents);
 *   Answer&lt;Boolean&gt; step = replay.run();     // Need: load, cache.loaded(...), run() again
 * </pre>
 */
public final class TailReplay {
  public TailReplay(MetadataCache cache, JournalContents contents) {
    throw new UnsupportedOperationException(cache + " " + contents);
  }

  /**
   * Goes on from where it stopped. Ready(true): the whole tail is applied. Ready(false): the cache
   * is full, go on once {@link MetadataCache#hasRoom} is true again. Need: load, then go on.
   */
  public Answer<Boolean> run() {
    throw new UnsupportedOperationException();
  }
}
