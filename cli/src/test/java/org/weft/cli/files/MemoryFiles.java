package org.weft.cli.files;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.weft.client.AclStatus;
import org.weft.client.AttributeChanges;
import org.weft.client.FileStatus;
import org.weft.client.FileType;
import org.weft.client.LayoutSpec;
import org.weft.client.LockList;
import org.weft.client.SpaceStatus;
import org.weft.client.WeftPath;
import org.weft.client.WeftQuota;
import org.weft.client.XattrMode;
import org.weft.client.health.DamagedFiles;
import org.weft.client.health.VolumeCheckStatus;
import org.weft.protocol.acl.AclChange;
import org.weft.protocol.acl.AclEntry;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.OsdId;

/**
 * A tree of files in memory, by the rules of the manager. Symbolic links on the way are followed,
 * as is the last name except where a call concerns the link. A length shows when it is published.
 * Thread-safe. Paths can be made to fail.
 */
public final class MemoryFiles implements RemoteFiles {
  /** Files that have lost bytes, in the order of objects. */
  public final List<DamagedFiles.One> damaged = new ArrayList<>();

  private final List<WeftQuota> quotas = new ArrayList<>();

  /** No check that a manager knows of. */
  public static final VolumeCheckStatus NO_CHECK =
      new VolumeCheckStatus(
          0,
          false,
          VolumeCheckStatus.State.FAILED,
          "",
          0,
          0,
          0,
          0,
          0,
          0,
          0,
          List.of(),
          false,
          List.of(),
          0);

  /** What a check says, one time after another; the last one again and again. */
  public final List<VolumeCheckStatus> checks = new ArrayList<>();

  /** How often one was started. */
  public int checksStarted;

  private LockList locks = new LockList(List.of(), 0);

  private static final int MAX_LINKS = 40;

  private final Map<WeftPath, MemoryNode> nodes = new TreeMap<>();
  private final Map<WeftPath, ErrorCode> broken = new TreeMap<>();
  private Predicate<WeftPath> brokenPlaces = path -> false;
  private ErrorCode brokenPlacesCode;
  private int renames;
  private int requests;

  private Consumer<WeftPath> beforeListing = directory -> {};

  public MemoryFiles() {
    nodes.put(WeftPath.ROOT, new MemoryNode(FileType.DIRECTORY, 0755));
  }

  /** Every request on this path fails so; null: not any more. */
  public synchronized void breakAt(String path, ErrorCode code) {
    if (code == null) {
      broken.remove(WeftPath.of(path));
    } else {
      broken.put(WeftPath.of(path), code);
    }
  }

  /** Whatever touches such a path fails. */
  public synchronized void breakWhere(Predicate<WeftPath> places, ErrorCode code) {
    brokenPlaces = places;
    brokenPlacesCode = code;
  }

  /** Runs before a directory is listed: what another client does meanwhile. */
  public synchronized void beforeListing(Consumer<WeftPath> action) {
    beforeListing = action;
  }

  public synchronized void file(String path, byte[] bytes) {
    MemoryNode node = new MemoryNode(FileType.FILE, 0644);
    node.bytes = bytes;
    nodes.put(WeftPath.of(path), node);
  }

  public synchronized void directory(String path) {
    nodes.put(WeftPath.of(path), new MemoryNode(FileType.DIRECTORY, 0755));
  }

  public synchronized void symbolicLink(String path, String target) {
    nodes.put(WeftPath.of(path), MemoryNode.symbolicLink(target));
  }

  /** The node itself, for tests that look or set what requests cannot. */
  public synchronized MemoryNode node(String path) {
    return nodes.get(WeftPath.of(path));
  }

  public synchronized byte[] bytesOf(String path) {
    return node(path).bytes;
  }

  public synchronized int modeOf(String path) {
    return node(path).mode;
  }

  /** Every path but the root, sorted. */
  public synchronized List<String> paths() {
    return nodes.keySet().stream().filter(path -> !path.isRoot()).map(WeftPath::toString).toList();
  }

  public synchronized int renames() {
    return renames;
  }

  /** Requests that changed or read something, so far. */
  public synchronized int requests() {
    return requests;
  }

  private void check(WeftPath path) throws IOException {
    requests++;
    ErrorCode code = brokenPlaces.test(path) ? brokenPlacesCode : broken.get(path);
    if (code != null) {
      throw new WeftException(code, path + ": made to fail");
    }
  }

  /** Where a path leads when the links on its way are followed; the last name as is asked. */
  private WeftPath resolve(WeftPath path, boolean followLast) throws IOException {
    Deque<String> ahead = new ArrayDeque<>(path.names());
    WeftPath done = WeftPath.ROOT;
    int links = 0;
    int ownAhead = ahead.size();
    while (!ahead.isEmpty()) {
      boolean own = ahead.size() <= ownAhead;
      ownAhead = Math.min(ownAhead, ahead.size() - 1);
      WeftPath next = done.resolve(ahead.pop());
      MemoryNode node = nodes.get(next);
      boolean last = ahead.isEmpty();
      if (node == null && !last) {
        throw new WeftException(ErrorCode.NOT_FOUND, next + ": no such file or directory");
      }
      if (node != null && node.type == FileType.SYMLINK && (!last || followLast)) {
        if (own && ownAhead < path.plainNames()) {
          throw new WeftException(ErrorCode.LOOP, path + ": " + next + " is a symbolic link");
        }
        if (++links > MAX_LINKS) {
          throw new WeftException(ErrorCode.LOOP, path + ": too many symbolic links");
        }
        done = node.target.startsWith("/") ? WeftPath.ROOT : done;
        List<String> names = Arrays.asList(node.target.split("/"));
        for (int index = names.size() - 1; index >= 0; index--) {
          if (!names.get(index).isEmpty()) {
            ahead.push(names.get(index));
          }
        }
      } else if (node != null && !last && node.type != FileType.DIRECTORY) {
        throw new WeftException(ErrorCode.NOT_DIRECTORY, next + ": not a directory");
      } else {
        done = next;
      }
    }
    return done;
  }

  private Optional<MemoryNode> look(WeftPath path, boolean followLast) throws IOException {
    check(path);
    try {
      return Optional.ofNullable(nodes.get(resolve(path, followLast)));
    } catch (WeftException e) {
      if (e.code() == ErrorCode.NOT_FOUND) {
        return Optional.empty();
      }
      throw e;
    }
  }

  private MemoryNode require(WeftPath path, boolean followLast) throws IOException {
    return look(path, followLast)
        .orElseThrow(
            () -> new WeftException(ErrorCode.NOT_FOUND, path + ": no such file or directory"));
  }

  private MemoryNode requireFile(WeftPath path) throws IOException {
    MemoryNode node = require(path, true);
    if (node.type == FileType.DIRECTORY) {
      throw new WeftException(ErrorCode.IS_DIRECTORY, path + ": is a directory");
    }
    return node;
  }

  /** Where a new name would stand; its directory must be there. */
  private WeftPath place(WeftPath path, boolean followLast) throws IOException {
    check(path);
    WeftPath place = resolve(path, followLast);
    MemoryNode parent = require(place.parent().orElseThrow(), true);
    if (parent.type != FileType.DIRECTORY) {
      throw new WeftException(ErrorCode.NOT_DIRECTORY, place.parent().get() + ": not a directory");
    }
    return place;
  }

  private WeftPath freePlace(WeftPath path) throws IOException {
    WeftPath place = place(path, false);
    if (nodes.containsKey(place)) {
      throw new WeftException(ErrorCode.EXISTS, path + ": exists");
    }
    return place;
  }

  private List<WeftPath> childrenOf(WeftPath directory) {
    return nodes.keySet().stream()
        .filter(path -> path.parent().equals(Optional.of(directory)))
        .toList();
  }

  private FileStatus status(WeftPath path, MemoryNode node) {
    boolean directory = node.type == FileType.DIRECTORY;
    WeftPath real = path;
    for (Map.Entry<WeftPath, MemoryNode> entry : nodes.entrySet()) {
      real = entry.getValue() == node ? entry.getKey() : real;
    }
    return node.status(path, directory ? childrenOf(real).size() : 0);
  }

  @Override
  public synchronized Optional<FileStatus> find(WeftPath path) throws IOException {
    return look(path, true).map(node -> status(path, node));
  }

  @Override
  public synchronized Optional<FileStatus> findLink(WeftPath path) throws IOException {
    return look(path, false).map(node -> status(path, node));
  }

  @Override
  public synchronized Entries list(WeftPath directory) throws IOException {
    beforeListing.accept(directory);
    if (require(directory, true).type != FileType.DIRECTORY) {
      throw new WeftException(ErrorCode.NOT_DIRECTORY, directory + ": not a directory");
    }
    List<FileStatus> statuses = new ArrayList<>();
    for (WeftPath path : childrenOf(resolve(directory, true))) {
      // Backwards: a real directory is not in the order of names either.
      statuses.add(0, status(directory.child(path.name()), nodes.get(path)));
    }
    Iterator<FileStatus> iterator = statuses.iterator();
    return () -> iterator.hasNext() ? iterator.next() : null;
  }

  @Override
  public Entries listNames(WeftPath directory) throws IOException {
    return list(directory);
  }

  @Override
  public synchronized void mkdir(WeftPath path, int mode, boolean parents) throws IOException {
    check(path);
    if (parents && path.parent().isPresent()) {
      mkdir(path.parent().get(), mode, true);
      if (look(path, true).filter(node -> node.type == FileType.DIRECTORY).isPresent()) {
        return;
      }
    } else if (parents) {
      return;
    }
    nodes.put(freePlace(path), new MemoryNode(FileType.DIRECTORY, mode));
  }

  @Override
  public synchronized Output create(WeftPath path, int mode, boolean replace) throws IOException {
    WeftPath place = place(path, true);
    if (!replace && nodes.containsKey(place)) {
      throw new WeftException(ErrorCode.EXISTS, path + ": exists");
    }
    MemoryNode node = new MemoryNode(FileType.FILE, mode);
    node.mtimeMillis = System.currentTimeMillis();
    nodes.put(place, node);
    return new Written(node, new byte[0]);
  }

  @Override
  public synchronized Output append(WeftPath path) throws IOException {
    MemoryNode node = requireFile(path);
    return new Written(node, node.bytes);
  }

  /** Bytes that show when they are closed. */
  private final class Written extends Output {
    private final MemoryNode node;
    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

    private Written(MemoryNode node, byte[] before) {
      this.node = node;
      bytes.writeBytes(before);
    }

    @Override
    public void write(int b) {
      bytes.write(b);
    }

    @Override
    public void write(byte[] source, int offset, int length) {
      bytes.write(source, offset, length);
    }

    @Override
    public void close() {
      synchronized (MemoryFiles.this) {
        node.bytes = bytes.toByteArray();
      }
    }

    @Override
    public void abort() {}
  }

  @Override
  public synchronized InputStream open(WeftPath path) throws IOException {
    return new ByteArrayInputStream(requireFile(path).bytes);
  }

  @Override
  public synchronized OpenFile openFile(WeftPath path) throws IOException {
    MemoryNode node = requireFile(path);
    return new Open(node, status(path, node));
  }

  /** Reads up to the length it knows, of the same file also when it has lost its name. */
  private final class Open implements OpenFile {
    private final MemoryNode node;
    private final FileStatus status;
    private long known;

    private Open(MemoryNode node, FileStatus status) {
      this.node = node;
      this.status = status;
      this.known = status.sizeBytes();
    }

    @Override
    public FileStatus status() {
      return status;
    }

    @Override
    public int read(long positionBytes, byte[] target, int offset, int length) {
      synchronized (MemoryFiles.this) {
        int end = (int) Math.min(known, node.bytes.length);
        if (positionBytes >= end) {
          return -1;
        }
        int count = (int) Math.min(length, end - positionBytes);
        System.arraycopy(node.bytes, (int) positionBytes, target, offset, count);
        return count;
      }
    }

    @Override
    public long refresh() {
      synchronized (MemoryFiles.this) {
        known = node.bytes.length;
        return known;
      }
    }

    @Override
    public void close() {}
  }

  @Override
  public synchronized void rename(WeftPath source, WeftPath target, boolean replace)
      throws IOException {
    MemoryNode node = require(source, false);
    WeftPath from = resolve(source, false);
    WeftPath to = place(target, false);
    MemoryNode there = nodes.get(to);
    boolean directories = node.type == FileType.DIRECTORY;
    if (there != null && (!replace || (there.type == FileType.DIRECTORY) != directories)) {
      throw new WeftException(ErrorCode.EXISTS, target + ": exists");
    }
    renames++;
    if (there == node) {
      // Two names of one file: nothing is done.
      return;
    }
    List<WeftPath> moved = nodes.keySet().stream().filter(path -> path.startsWith(from)).toList();
    for (WeftPath path : moved) {
      String below = path.toString().substring(from.toString().length());
      nodes.put(WeftPath.of(to + below), nodes.remove(path));
    }
  }

  @Override
  public synchronized void unlink(WeftPath path) throws IOException {
    MemoryNode node = require(path, false);
    if (node.type == FileType.DIRECTORY) {
      throw new WeftException(ErrorCode.IS_DIRECTORY, path + ": is a directory");
    }
    nodes.remove(resolve(path, false));
    node.links--;
  }

  @Override
  public synchronized void rmdir(WeftPath path) throws IOException {
    if (require(path, false).type != FileType.DIRECTORY) {
      throw new WeftException(ErrorCode.NOT_DIRECTORY, path + ": not a directory");
    }
    if (!childrenOf(resolve(path, false)).isEmpty()) {
      throw new WeftException(ErrorCode.NOT_EMPTY, path + ": not empty");
    }
    nodes.remove(resolve(path, false));
  }

  @Override
  public synchronized FileStatus setAttributes(WeftPath path, AttributeChanges changes)
      throws IOException {
    MemoryNode node = require(path, true);
    changes.mode().ifPresent(mode -> node.mode = mode);
    changes.owner().ifPresent(owner -> node.owner = owner);
    changes.group().ifPresent(group -> node.group = group);
    changes.mtimeMillis().ifPresent(millis -> node.mtimeMillis = millis);
    changes.atimeMillis().ifPresent(millis -> node.atimeMillis = millis);
    return status(path, node);
  }

  @Override
  public synchronized FileStatus truncate(WeftPath path, long sizeBytes) throws IOException {
    MemoryNode node = requireFile(path);
    node.bytes = Arrays.copyOf(node.bytes, (int) sizeBytes);
    return status(path, node);
  }

  @Override
  public synchronized FileStatus link(WeftPath existing, WeftPath path) throws IOException {
    MemoryNode node = require(existing, false);
    if (node.type == FileType.DIRECTORY) {
      throw new WeftException(
          ErrorCode.IS_DIRECTORY, existing + ": a directory has one name only; -s links to it");
    }
    nodes.put(freePlace(path), node);
    node.links++;
    return status(path, node);
  }

  @Override
  public synchronized FileStatus symlink(String target, WeftPath path) throws IOException {
    MemoryNode node = MemoryNode.symbolicLink(target);
    nodes.put(freePlace(path), node);
    return status(path, node);
  }

  /** From now on these are locked. */
  public void locked(LockList held) {
    locks = held;
  }

  @Override
  public SpaceStatus space(WeftPath path) throws IOException {
    return space();
  }

  @Override
  public WeftQuota.Over quotasOver(WeftPath path) {
    boolean own = quotas.stream().anyMatch(quota -> quota.path().equals(path));
    return new WeftQuota.Over(
        quotas.stream()
            .filter(quota -> (path + "/").startsWith(quota.path() + "/"))
            .sorted(Comparator.comparing(quota -> quota.path().toString()))
            .toList(),
        own);
  }

  @Override
  public WeftQuota.Over quotas(WeftPath path) {
    return new WeftQuota.Over(quotas, false);
  }

  @Override
  public WeftQuota setQuota(WeftPath directory, WeftQuota.Limits limits) {
    WeftQuota quota = new WeftQuota(directory, limits, 1_000, 3, 0, false, 0, 0);
    quotas.removeIf(each -> each.path().equals(directory));
    if (!limits.equals(WeftQuota.Limits.NONE)) {
      quotas.add(quota);
    }
    return quota;
  }

  @Override
  public synchronized DamagedFiles damage(WeftPath path, long after) {
    return new DamagedFiles(
        damaged.stream().filter(each -> each.objectId() > after).limit(2).toList(),
        damaged.stream().filter(each -> each.objectId() > after).count() > 2);
  }

  @Override
  public synchronized VolumeCheckStatus startCheck(WeftPath path, boolean parity) {
    checksStarted++;
    return checks.isEmpty() ? NO_CHECK : checks.get(0);
  }

  @Override
  public synchronized VolumeCheckStatus checkStatus(
      WeftPath path, long id, long afterFinding, int max) {
    return checks.size() > 1 ? checks.remove(0) : checks.isEmpty() ? NO_CHECK : checks.get(0);
  }

  @Override
  public synchronized VolumeCheckStatus cancelCheck(WeftPath path) {
    return checks.isEmpty() ? NO_CHECK : checks.get(0);
  }

  @Override
  public synchronized LockList locks(WeftPath path) throws IOException {
    var unused = require(path, true);
    return locks;
  }

  @Override
  public synchronized SortedMap<String, byte[]> xattrs(WeftPath path) throws IOException {
    return new TreeMap<>(require(path, true).xattrs);
  }

  @Override
  public synchronized void setXattr(WeftPath path, String name, byte[] value, XattrMode mode)
      throws IOException {
    MemoryNode node = require(path, true);
    boolean there = node.xattrs.containsKey(name);
    if (mode == XattrMode.CREATE_ONLY && there) {
      throw new WeftException(ErrorCode.EXISTS, path + ": attribute " + name + " exists");
    }
    if (mode == XattrMode.REPLACE_ONLY && !there) {
      throw new WeftException(ErrorCode.NOT_FOUND, path + ": no attribute " + name);
    }
    node.xattrs.put(name, value);
  }

  @Override
  public synchronized void removeXattr(WeftPath path, String name) throws IOException {
    if (require(path, true).xattrs.remove(name) == null) {
      throw new WeftException(ErrorCode.NOT_FOUND, path + ": no attribute " + name);
    }
  }

  @Override
  public synchronized AclStatus acl(WeftPath path) throws IOException {
    MemoryNode node = require(path, true);
    return node.acl == null ? AclOfMode.of(path, node) : node.acl;
  }

  /** No rule is checked: that is for managers. */
  @Override
  public synchronized void changeAcl(WeftPath path, AclChange change, List<AclEntry> entries)
      throws IOException {
    MemoryNode node = require(path, true);
    AclStatus bare = AclOfMode.of(path, node);
    List<AclEntry> after = new ArrayList<>(bare.entries());
    if (change == AclChange.MODIFY || change == AclChange.REPLACE) {
      after.removeIf(old -> entries.stream().anyMatch(old::isLike));
      after.addAll(entries);
    }
    after.sort(null);
    node.acl =
        after.equals(bare.entries())
            ? null
            : new AclStatus(path, node.mode, node.owner, node.group, after);
  }

  @Override
  public synchronized FileStatus setLayout(WeftPath directory, Optional<LayoutSpec> layout)
      throws IOException {
    MemoryNode node = require(directory, true);
    if (node.type != FileType.DIRECTORY) {
      throw new WeftException(ErrorCode.NOT_DIRECTORY, directory + ": not a directory");
    }
    node.layout = layout;
    return status(directory, node);
  }

  @Override
  public SpaceStatus space() {
    return new SpaceStatus(6L << 30, 1L << 30, 5L << 30, 1_234);
  }

  /** OSD 2 is down, OSD 9 is not known. */
  @Override
  public Optional<OsdNode> osd(OsdId id) {
    return id.value() == 9
        ? Optional.empty()
        : Optional.of(
            new OsdNode(
                id,
                id.value() == 2 ? "down" : "up",
                "host" + id,
                "127.0.0.1:" + (7400 + id.value())));
  }
}
