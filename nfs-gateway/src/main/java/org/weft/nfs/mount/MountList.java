package org.weft.nfs.mount;

import java.net.InetAddress;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.weft.nfs.oncrpc.XdrWriter;

/**
 * Which clients mounted which directories, for people to read. Nothing depends on it. Clients that
 * go away silently stay until newer ones replace them. Thread-safe.
 */
final class MountList {
  private static final int MAX = 4_096;

  /** No client displaces all others. */
  static final int MAX_OF_CLIENT = 64;

  /** A client, and the path without needless slashes: an entry of DUMP, RFC 1813 section 5.2.2. */
  record Mounted(InetAddress client, String path) implements EntriesTask.Entry {
    @Override
    public int bytes() {
      return EntriesTask.opaqueBytes(client.getHostAddress().length())
          + EntriesTask.opaqueBytes(Mount3.bytes(path).length);
    }

    @Override
    public void write(XdrWriter out) {
      out.string(client.getHostAddress()).opaque(Mount3.bytes(path));
    }
  }

  private final Set<Mounted> mounted = new LinkedHashSet<>();

  synchronized void add(InetAddress client, String path) {
    Mounted entry = new Mounted(client, path);
    mounted.remove(entry);
    List<Mounted> own = mounted.stream().filter(each -> each.client().equals(client)).toList();
    if (own.size() == MAX_OF_CLIENT) {
      mounted.remove(own.get(0));
    } else if (mounted.size() == MAX) {
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
