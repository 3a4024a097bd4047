package org.weft.osd.store.engine;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import java.io.IOException;
import java.io.UncheckedIOException;
import org.weft.osd.store.format.ObjectRecord;
import org.weft.protocol.id.ObjectName;

/**
 * Objects that were read lately, so that reading them again asks the key-value store nothing, and
 * may be answered on an event loop. Bounded; thread-safe.
 *
 * <p>What is found here is what is committed. An object gets in only while nobody takes it out: a
 * commit that is written takes out what it touched, and waits for whoever is putting it in, before
 * anybody hears of the commit and before a block that it lets go can be used again (P 5.2).
 */
final class ObjectCache {
  /** Of all the memory, for the pages of one object. */
  private static final int SHARE = 4;

  private final Cache<ObjectName, CachedObject> objects;
  private final int mostPageBytes;

  /**
   * @param mostBytes memory that it may take, about
   */
  ObjectCache(long mostBytes) {
    this.mostPageBytes = (int) Math.min(Integer.MAX_VALUE, mostBytes / SHARE);
    this.objects =
        Caffeine.newBuilder()
            .maximumWeight(mostBytes)
            .weigher((ObjectName name, CachedObject object) -> object.weightBytes())
            .executor(Runnable::run)
            .build();
  }

  /** The object, if it is here. */
  CachedObject ifPresent(ObjectName name) {
    return objects.getIfPresent(name);
  }

  /** The object, looked up if need be; null if there is none. */
  CachedObject of(ObjectName name, Values committed) throws IOException {
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

  /** More is known of the object: it weighs more. */
  void grew(ObjectName name, CachedObject object) {
    objects.asMap().replace(name, object, object);
  }

  /** A commit that touches the object is written. */
  void changed(ObjectName name) {
    objects.invalidate(name);
  }
}
