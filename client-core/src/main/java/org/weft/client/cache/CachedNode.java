package org.weft.client.cache;

import com.google.protobuf.ByteString;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.weft.client.ids.OnBehalfOf;
import org.weft.protocol.acl.RightBits;
import org.weft.protocol.wire.DirectoryEntry;
import org.weft.protocol.wire.FileAttributes;
import org.weft.protocol.wire.FileKind;
import org.weft.protocol.wire.OpenReply;
import org.weft.protocol.wire.ReaddirReply;

/**
 * The granted attributes, names and listing of one file or directory. Changed on the home executor,
 * looked at by any thread; all of it holds as long as the node is in the cache.
 */
final class CachedNode implements ReadCache.Memo {
  /** Callers of which rights are kept, for one node. */
  private static final int MAX_CALLERS = 64;

  /** Where a name leads; object 0: nowhere. */
  record Child(long objectId, FileKind kind) {
    static final Child NONE = new Child(0, FileKind.FILE);
  }

  private final long objectId;
  private final Map<String, Child> names = new ConcurrentHashMap<>(4);

  /** Of callers of a session that asks for many. */
  private final Map<OnBehalfOf, Integer> rights = new ConcurrentHashMap<>(2);

  private volatile int granted;
  private volatile FileAttributes attributes;

  /** Of a file of which the rights alone are granted: length and times may be others by now. */
  private volatile FileAttributes written;

  private volatile ByteString handle = ByteString.EMPTY;
  private volatile OpenReply opened;
  private volatile List<DirectoryEntry> listing;
  private volatile Object view;

  /** Looked at since it was passed over last. */
  private volatile boolean used = true;

  // Confined to the home executor.
  private long number;
  private PartListing partListing;

  /** Of a file; null if none came yet. */
  private volatile FilePages pages;

  // Guarded by this.
  private DataCache memory;
  private boolean gone;

  CachedNode(long objectId) {
    this.objectId = objectId;
  }

  long objectId() {
    return objectId;
  }

  /** Of the grant that was given last. */
  long number() {
    return number;
  }

  void granted(long newNumber, int bits) {
    number = Math.max(number, newNumber);
    granted = bits;
  }

  /** The rights are granted, and nothing else that was not. */
  void rightsGranted(long newNumber, FileAttributes told) {
    number = Math.max(number, newNumber);
    written = told;
  }

  /** Its owner, type and mode, as they are granted; null if they are not known. */
  FileAttributes described() {
    FileAttributes whole = attributes;
    return whole == null ? written : whole;
  }

  /** The directory may be passed. */
  boolean isSearchable() {
    return isGranted(RightBits.EXECUTE);
  }

  boolean isReadable() {
    return isGranted(RightBits.READ);
  }

  private boolean isGranted(int right) {
    int wanted = RightBits.GRANTED | right;
    return (granted & wanted) == wanted;
  }

  /** Where the name leads; null if that is not known. */
  Child child(String name) {
    // A listing is set when all its names are there: one that is seen first answers for them.
    boolean isListed = listing != null;
    Child known = names.get(name);
    return known == null && isListed ? Child.NONE : known;
  }

  /** True if it was not known. */
  boolean name(String name, Child child) {
    return names.put(name, child) == null;
  }

  /** Null if they are not known. */
  FileAttributes attributes() {
    return attributes;
  }

  void attributes(FileAttributes known) {
    attributes = known;
    view = null;
  }

  /** Empty if it is not known. */
  ByteString handle() {
    return handle;
  }

  void handle(ByteString known) {
    if (!known.isEmpty()) {
      handle = known;
    }
  }

  /** How it was opened for reading; null if it was not. */
  OpenReply opened() {
    return opened;
  }

  void opened(OpenReply reply) {
    opened = reply;
  }

  /** All entries, in the order of their cookies; null if they are not known. */
  List<DirectoryEntry> listing() {
    return listing;
  }

  /**
   * Takes in a page of it.
   *
   * @param cookie behind which it was asked for
   */
  void page(ReaddirReply reply, long cookie) {
    for (DirectoryEntry entry : reply.getEntriesList()) {
      name(entry.getName(), new Child(entry.getObjectId(), entry.getKind()));
    }
    if (listing != null) {
      return;
    }
    PartListing part = cookie == 0 ? new PartListing() : partListing;
    if (part == null || !part.isFollowedBy(cookie)) {
      return;
    }
    part.add(reply.getEntriesList());
    partListing = reply.getEnd() ? null : part;
    if (reply.getEnd()) {
      listing = part.entries();
    }
  }

  /** What a caller may do with it; null if that is not known. */
  Integer rights(OnBehalfOf caller) {
    return rights.get(caller);
  }

  /** What the manager tells of a caller holds as long as the attributes do. */
  void rights(OnBehalfOf caller, int told) {
    if (rights.size() < MAX_CALLERS) {
      rights.put(caller, told);
    }
  }

  /** What a caller has made of the attributes, to be used again; null if nothing. */
  @Override
  public Object view() {
    return view;
  }

  @Override
  public void view(Object made) {
    view = made;
  }

  /** What is known of a file's bytes; null if nothing is. */
  FilePages pages() {
    return pages;
  }

  /** The same, made if nothing was known; null once the grant has ended. */
  synchronized FilePages obtainPages(DataCache cache) {
    if (pages == null && !gone) {
      memory = cache;
      pages = new FilePages();
    }
    return gone ? null : pages;
  }

  /** The grant has ended: no byte that came under it is kept. */
  synchronized void dropPages() {
    gone = true;
    if (pages != null) {
      memory.drop(pages);
    }
  }

  void use() {
    // Most are used again and again: a write each time would make threads wait for each other.
    if (!used) {
      used = true;
    }
  }

  /** True if it was not looked up since it was asked last. */
  boolean isIdle() {
    boolean idle = !used;
    used = false;
    return idle;
  }

  /** How many things are known of it. */
  int weight() {
    List<DirectoryEntry> whole = listing;
    int listed = partListing == null ? 0 : partListing.size();
    return 1 + names.size() + rights.size() + (whole == null ? listed : whole.size());
  }
}
