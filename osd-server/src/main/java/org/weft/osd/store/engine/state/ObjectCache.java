package org.weft.osd.store.engine.state;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Map;
import org.weft.osd.store.format.ExtentPage;
import org.weft.osd.store.format.ObjectRecord;
import org.weft.osd.store.format.PendingRecords;
import org.weft.protocol.id.ObjectName;

/**
 * Objects that were read or written lately. Reading or writing them again asks the key-value store
 * nothing, and an event loop may answer a read. Bounded; thread-safe.
 *
 * <p>What is found here is what is committed. An object gets in only while no commit takes it out.
 * A commit that is written takes out what it touched, or puts what it has made of it in its place.
 * It also waits for a thread that is putting the object in. All of that comes before any caller
 * hears of the commit, and before a block that it lets go can be used again (P 5.2).
 */
public final class ObjectCache {
  /** Of all the memory, for the pages of one object. */
  private static final int SHARE = 4;

  private final Cache<ObjectName, CachedObject> objects;
  private final int mostPageBytes;
  private final Doorkeeper changes = new Doorkeeper();

  /**
   * @param mostBytes memory that it may take, about
   */
  public ObjectCache(long mostBytes) {
    this.mostPageBytes = (int) Math.min(Integer.MAX_VALUE, mostBytes / SHARE);
    this.objects =
        Caffeine.newBuilder()
            .maximumWeight(mostBytes)
            .weigher((ObjectName name, CachedObject object) -> object.weightBytes())
            .executor(Runnable::run)
            .build();
  }

  /** The object, if it is here. */
  public CachedObject ifPresent(ObjectName name) {
    return objects.getIfPresent(name);
  }

  /** The object, looked up if need be; null if there is none. */
  public CachedObject of(ObjectName name, Values committed) throws IOException {
    CachedObject known = objects.getIfPresent(name);
    if (known != null) {
      return known;
    }
    try {
      return objects.get(name, missing -> load(missing, committed));
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
  }

  private CachedObject load(ObjectName name, Values committed) {
    try {
      ObjectRecord record = committed.object(name);
      return record == null ? null : new CachedObject(record, mostPageBytes);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** True if this was asked of the handle before, not long ago; the committer asks. */
  public boolean isChangedAgain(long handle) {
    return changes.meetsAgain(handle);
  }

  /** More is known of the object: it weighs more. */
  public void grew(ObjectName name, CachedObject object) {
    objects.asMap().replace(name, object, object);
  }

  /** A commit that touches the object is written. */
  public void changed(ObjectName name) {
    objects.invalidate(name);
  }

  /**
   * A commit that touches the object is written, and this is what it has made of it.
   *
   * @param before what was known of it before that commit, or null
   * @param changed all pages that the commit changed
   * @param list its pending list, or null if that is not known
   * @param firstPageLsn of its attribute page 0 if the commit stores it, or {@link
   *     CachedObject#UNKNOWN_LSN}
   */
  public void changed(
      ObjectName name,
      CachedObject before,
      ObjectRecord record,
      Map<Long, ExtentPage> changed,
      PendingRecords list,
      long firstPageLsn) {
    CachedObject known = before == null ? new CachedObject(record, mostPageBytes) : before;
    objects.put(name, known.after(record, changed, list, firstPageLsn));
  }
}
