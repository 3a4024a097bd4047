package org.weft.client.cache;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The pages of a file that came under one grant for reading, which end with it: a later grant of
 * the same file has others. Looked up by any thread; changed under the lock of their {@link
 * DataCache}.
 */
final class FilePages {
  private final Map<Long, FilePage> pages = new ConcurrentHashMap<>(2);

  /** Guarded by the cache. */
  private boolean dropped;

  /**
   * Copies bytes of the file, if all of them are here.
   *
   * @param target filled from index 0 on; its content is undefined if something was missing
   */
  boolean copy(long positionBytes, int lengthBytes, ByteBuffer target) {
    int done = 0;
    while (done < lengthBytes) {
      long at = positionBytes + done;
      FilePage page = pages.get(at / DataCache.PAGE_BYTES);
      int within = (int) (at % DataCache.PAGE_BYTES);
      int count = Math.min(lengthBytes - done, DataCache.PAGE_BYTES - within);
      if (page == null || page.bytes().length < within + count) {
        return false;
      }
      page.use();
      target.put(done, page.bytes(), within, count);
      done += count;
    }
    return true;
  }

  boolean isDropped() {
    return dropped;
  }

  /** The page that was there before; null if there was none. */
  FilePage put(FilePage page) {
    return pages.put(page.number(), page);
  }

  void remove(FilePage page) {
    pages.remove(page.number(), page);
  }

  /** The grant has ended: nothing is kept any more. What was kept until now. */
  List<FilePage> drop() {
    dropped = true;
    List<FilePage> all = new ArrayList<>(pages.values());
    pages.clear();
    return all;
  }
}
