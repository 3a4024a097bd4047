package org.weft.nfs.mount;

import java.net.InetAddress;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * Which clients mounted which directories, for people to read. Nothing depends on it. Clients that
 * go away silently stay until newer ones replace them. Thread-safe.
 */
final class MountList {
  private static final int MAX = 4_096;

  /** A client, and the path as it named it. */
  record Mounted(InetAddress client, String path) {}

  private final Set<Mounted> mounted = new LinkedHashSet<>();

  synchronized void add(InetAddress client, String path) {
    Mounted entry = new Mounted(client, path);
    mounted.remove(entry);
    if (mounted.size() == MAX) {
      mounted.remove(mounted.iterator().next());
    }
    mounted.add(entry);
  }

  synchronized void remove(InetAddress client, String path) {
    mounted.remove(new Mounted(client, path));
  }

  synchronized void removeAll(InetAddress client) {
    mounted.removeIf(entry -> entry.client().equals(client));
  }

  synchronized List<Mounted> all() {
    return new ArrayList<>(mounted);
  }
}
