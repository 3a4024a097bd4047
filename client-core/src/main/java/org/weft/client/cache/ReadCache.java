package org.weft.client.cache;

import com.google.protobuf.ByteString;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.weft.client.ids.OnBehalfOf;
import org.weft.protocol.acl.RightBits;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.wire.AttributesReply;
import org.weft.protocol.wire.DirectoryEntry;
import org.weft.protocol.wire.DroppedReadGrants;
import org.weft.protocol.wire.FileAttributes;
import org.weft.protocol.wire.FileKind;
import org.weft.protocol.wire.NodeReply;
import org.weft.protocol.wire.OpenReply;
import org.weft.protocol.wire.ReadGrants;
import org.weft.protocol.wire.ReaddirReply;
import org.weft.protocol.wire.RenewSessionReply;
import org.weft.protocol.wire.RenewSessionRequest;
import org.weft.protocol.wire.RequestContext;
import org.weft.protocol.wire.WalkStep;

/**
 * What one session was granted for reading (P 6.5). An answer from here is as good as one of the
 * manager. At one moment of the call, everything that it was made of was granted and not dropped,
 * and the read lease held. The manager changes nothing of that before it was told that it is
 * dropped, or the lease is over.
 *
 * <p>Grants are numbered in the order in which the manager gave them. A recall says up to which
 * number, and so an answer that was on its way when the recall came is not relied on. Nor is an
 * answer by a smaller number than what was given back for want of room. A renewal's answer extends
 * the lease, except for what it names as recalled. A lease that was over meanwhile takes everything
 * with it, for recalls may have been given up.
 *
 * <p>{@link #find}, {@link #known}, {@link #knownRights}, {@link #open} and {@link #page} are for
 * any thread and never wait; everything else is confined to the session's home executor.
 */
public final class ReadCache {

  /** Longest name that has at most 255 bytes whatever its characters are. */
  private static final int MAX_NAME_CHARS = 85;

  private static final int MAX_DROPPED_FOR_REQUEST = 16;

  /** Files that are kept open because they may be opened again. */
  public interface Openings {
    /** The cache keeps a file open that the manager has opened, or a caller has opened by it. */
    void opened(OpenReply reply);

    /** One of these is over. */
    void closed(long objectId);
  }

  /**
   * What is known of a path.
   *
   * @param attributes null: nothing is there
   * @param handle empty if it is not known
   * @param missing up to where the path leads, where nothing is there
   * @param memo keeps what a caller makes of the attributes, as long as they are known
   */
  public record Found(FileAttributes attributes, ByteString handle, String missing, Memo memo) {
    /** There is a node. */
    public boolean exists() {
      return attributes != null;
    }

    /** What a caller has kept; null if nothing. */
    public Object view() {
      return memo.view();
    }

    /** Keeps something that depends on the attributes alone. */
    public void view(Object made) {
      memo.view(made);
    }
  }

  /** Room for one thing. */
  interface Memo {
    Object view();

    void view(Object made);
  }

  private final CachedNodes nodes;
  private final Lease lease;
  private final Openings openings;

  /** Grows when something was dropped, before the manager is told. */
  private final AtomicLong drops = new AtomicLong();

  // Confined to the home executor.
  private final UntoldDrops untold = new UntoldDrops();
  private long epoch;
  private long floor;
  private boolean ended;

  /**
   * @param epoch of the manager that opened the session
   * @param mostEntries nodes, names and listed entries that are kept
   */
  public ReadCache(long epoch, int mostEntries, LongSupplier nowNanos, Openings openings) {
    this.nodes = new CachedNodes(mostEntries);
    this.lease = new Lease(nowNanos);
    this.openings = openings;
    this.epoch = epoch;
    this.floor = Lsn.of(epoch, 0).value();
  }

  /** Where a walk came to: a node, or nothing. */
  private record End(CachedNode node, String missing) {}

  /**
   * What is at a path of the volume, if that is known.
   *
   * @param path names with '/' between them; "": the root
   * @param follow a symbolic link at the end is not what is asked for
   */
  public Optional<Found> find(String path, boolean follow) {
    long before = drops.get();
    End end = walk(path);
    if (end == null) {
      return Optional.empty();
    }
    Found found;
    if (end.node() == null) {
      found = new Found(null, ByteString.EMPTY, end.missing(), null);
    } else {
      FileAttributes attributes = end.node().attributes();
      if (attributes == null || follow && attributes.getKind() == FileKind.SYMLINK) {
        return Optional.empty();
      }
      found = new Found(attributes, end.node().handle(), "", end.node());
    }
    return holds(before) ? Optional.of(found) : Optional.empty();
  }

  /** A file by its number, and what one caller may do with it, if both are known. */
  public Optional<GrantedNode> known(long objectId, OnBehalfOf caller) {
    CachedNode node = nodes.find(objectId);
    Optional<GrantedNode> known = node == null ? Optional.empty() : GrantedNode.of(node, caller);
    return known.filter(found -> isGranted(node));
  }

  /**
   * What one caller may do with a file by its number, if that is known. The file may be written
   * meanwhile, so length and times may be out of date (P 6.5c.8.22).
   */
  public Optional<GrantedNode> knownRights(long objectId, OnBehalfOf caller) {
    CachedNode node = nodes.find(objectId);
    Optional<GrantedNode> known =
        node == null ? Optional.empty() : GrantedNode.rightsOf(node, caller);
    return known.filter(found -> isGranted(node));
  }

  /** The file at a path, opened once more without a message; to be given back as any other. */
  public Optional<OpenReply> open(String path) {
    long before = drops.get();
    End end = walk(path);
    OpenReply opened = end == null || end.node() == null ? null : end.node().opened();
    if (opened == null) {
      return Optional.empty();
    }
    long objectId = opened.getAttributes().getObjectId();
    // First: what the cache itself keeps open may be given back at any moment.
    openings.opened(opened);
    if (!holds(before)) {
      openings.closed(objectId);
      return Optional.empty();
    }
    return Optional.of(opened);
  }

  /** One page of a directory, as the manager would give it. */
  public Optional<ReaddirReply> page(
      String path, long cookie, int mostEntries, boolean withAttributes) {
    long before = drops.get();
    End end = walk(path);
    List<DirectoryEntry> all =
        end == null || end.node() == null || !end.node().isReadable() ? null : end.node().listing();
    if (all == null) {
      return Optional.empty();
    }
    ReaddirReply.Builder page = ReaddirReply.newBuilder();
    int from = PartListing.behind(all, cookie);
    int to = Math.min(all.size(), from + Math.max(1, mostEntries));
    for (DirectoryEntry entry : all.subList(from, to)) {
      if (!withAttributes || entry.getKind() == FileKind.VOLUME) {
        page.addEntries(entry);
        continue;
      }
      CachedNode node = nodes.find(entry.getObjectId());
      FileAttributes attributes = node == null ? null : node.attributes();
      if (attributes == null) {
        return Optional.empty();
      }
      node.use();
      page.addEntries(entry.toBuilder().setAttributes(attributes));
    }
    page.setEnd(to == all.size());
    return holds(before) ? Optional.of(page.build()) : Optional.empty();
  }

  /**
   * At this moment everything holds that was looked up since: nothing was dropped. The lease is
   * asked first: a new one begins after all was dropped that the one before let lapse.
   */
  private boolean holds(long dropsBefore) {
    return lease.holds() && drops.get() == dropsBefore;
  }

  /** What is known of an object; null if nothing is. Whether it may be relied on is not asked. */
  CachedNode node(long objectId) {
    return nodes.find(objectId);
  }

  /** At this moment the node is granted; the lease is asked first, as in {@link #holds}. */
  boolean isGranted(CachedNode node) {
    return lease.holds() && nodes.find(node.objectId()) == node;
  }

  /** Null where what is known does not suffice. */
  private End walk(String path) {
    CachedNode node = nodes.find(CachedNodes.ROOT);
    int from = 0;
    while (node != null && from < path.length()) {
      int slash = path.indexOf('/', from);
      int to = slash < 0 ? path.length() : slash;
      node.use();
      if (to - from > MAX_NAME_CHARS || !node.isSearchable()) {
        return null;
      }
      CachedNode.Child child = node.child(path.substring(from, to));
      if (child == null || child.kind() == FileKind.VOLUME) {
        return null;
      }
      if (child.objectId() == 0) {
        return new End(null, path.substring(0, to));
      }
      node = nodes.find(child.objectId());
      from = to + 1;
    }
    if (node == null) {
      return null;
    }
    node.use();
    return new End(node, "");
  }

  /** Takes in attributes, or that there are none. */
  public void heard(AttributesReply reply) {
    if (!isGood(reply.getGranted())) {
      return;
    }
    steps(reply.getGranted());
    if (reply.hasAttributes()) {
      attributes(reply.getGranted(), reply.getAttributes(), reply.getHandle());
    }
    evict();
  }

  /** Takes in the opening of a file for reading. */
  public void heard(OpenReply reply) {
    if (!isGood(reply.getGranted())) {
      return;
    }
    steps(reply.getGranted());
    if (attributes(reply.getGranted(), reply.getAttributes(), reply.getHandle())) {
      CachedNode node = nodes.find(reply.getAttributes().getObjectId());
      if (node.opened() == null) {
        openings.opened(reply);
      }
      node.opened(reply.toBuilder().clearGranted().build());
    }
    evict();
  }

  /**
   * Takes in what a file is that is named by its number.
   *
   * @param caller for which it was asked; the rights in the reply are its rights
   */
  public void heard(NodeReply reply, OnBehalfOf caller) {
    ReadGrants grants = reply.getGranted();
    FileAttributes attributes = reply.getNode().getAfter();
    if (isGood(grants)
        && (attributes(grants, attributes, ByteString.EMPTY) || rights(grants, attributes))) {
      CachedNode node = nodes.find(attributes.getObjectId());
      nodes.change(node, changed -> changed.rights(caller, reply.getRights()));
      evict();
    }
  }

  /**
   * Takes in a page of a directory.
   *
   * @param cookie behind which it was asked for
   */
  public void heard(ReaddirReply reply, long cookie) {
    ReadGrants grants = reply.getGranted();
    if (!isGood(grants)) {
      return;
    }
    steps(grants);
    if (RightBits.isGranted(grants.getNode())) {
      CachedNode directory = granted(lastOf(grants), grants.getNumber(), grants.getNode());
      nodes.change(directory, changed -> changed.page(reply, cookie));
    }
    for (DirectoryEntry entry : reply.getEntriesList()) {
      if (RightBits.isGranted(entry.getGranted()) && entry.hasAttributes()) {
        CachedNode node = granted(entry.getObjectId(), grants.getNumber(), entry.getGranted());
        node.attributes(entry.getAttributes());
      }
    }
    evict();
  }

  /** The directory of a page: where the walk ended. */
  private static long lastOf(ReadGrants grants) {
    int steps = grants.getStepCount();
    return steps == 0 ? CachedNodes.ROOT : grants.getStep(steps - 1).getObjectId();
  }

  /** What was granted may be relied on: it was not recalled before it came. */
  private boolean isGood(ReadGrants grants) {
    long number = grants.getNumber();
    return !ended && number > floor && new Lsn(number).epoch() == epoch && lease.holds();
  }

  private void steps(ReadGrants grants) {
    for (WalkStep step : grants.getStepList()) {
      if (RightBits.isGranted(step.getGranted())) {
        CachedNode.Child child =
            step.getObjectId() == 0
                ? CachedNode.Child.NONE
                : new CachedNode.Child(step.getObjectId(), step.getKind());
        CachedNode directory =
            granted(step.getDirectoryId(), grants.getNumber(), step.getGranted());
        nodes.change(directory, changed -> changed.name(step.getName(), child));
      }
    }
  }

  private CachedNode granted(long objectId, long number, int bits) {
    CachedNode node = nodes.obtain(objectId);
    node.granted(number, bits);
    return node;
  }

  /** True if the node is granted. */
  private boolean attributes(ReadGrants grants, FileAttributes attributes, ByteString handle) {
    if (!RightBits.isGranted(grants.getNode())) {
      return false;
    }
    CachedNode node = granted(attributes.getObjectId(), grants.getNumber(), grants.getNode());
    node.attributes(attributes);
    node.handle(handle);
    return true;
  }

  /** True if the rights of the node are granted. */
  private boolean rights(ReadGrants grants, FileAttributes attributes) {
    if ((grants.getNode() & RightBits.RIGHTS_GRANTED) == 0) {
      return false;
    }
    nodes.obtain(attributes.getObjectId()).rightsGranted(grants.getNumber(), attributes);
    return true;
  }

  private void evict() {
    for (CachedNode gone : nodes.evict()) {
      dropped(gone);
      givenBack(gone);
      untold.evicted(gone.objectId(), gone.number());
    }
  }

  /** An earlier answer that comes later grants nothing: the manager is told that it is dropped. */
  private void givenBack(CachedNode gone) {
    floor = Math.max(floor, gone.number());
  }

  private void dropped(CachedNode gone) {
    if (gone.opened() != null) {
      openings.closed(gone.objectId());
    }
    gone.dropPages();
    drops.incrementAndGet();
  }

  /** Grants of objects, up to that number, are to be dropped; the next renewal says so. */
  public void recalled(List<Long> objectIds, long number) {
    floor = Math.max(floor, number);
    for (long objectId : objectIds) {
      drop(objectId);
      untold.recalled(objectId, number);
    }
  }

  private CachedNode drop(long objectId) {
    CachedNode gone = nodes.remove(objectId);
    if (gone != null) {
      dropped(gone);
    }
    return gone;
  }

  /** Everything up to that number is dropped; if it is awaited, the manager hears of it at once. */
  private void dropAll(long number, boolean isAwaited) {
    nodes.clear().forEach(this::dropped);
    drops.incrementAndGet();
    untold.all(number, isAwaited);
    floor = Math.max(floor, number);
  }

  /**
   * Drops what is about to be changed at these paths, or by these numbers, and has the request say
   * so. Then it need not be recalled first.
   */
  public void dropFor(List<String> paths, List<Long> objectIds, RequestContext.Builder request) {
    paths.forEach(path -> nodes.changedAt(path).forEach(node -> drop(node.objectId(), request)));
    objectIds.forEach(objectId -> drop(objectId, request));
  }

  private void drop(long objectId, RequestContext.Builder request) {
    if (request.getDroppedCount() < MAX_DROPPED_FOR_REQUEST) {
      CachedNode gone = drop(objectId);
      if (gone != null) {
        givenBack(gone);
        request.addDropped(
            DroppedReadGrants.newBuilder().setObjectId(gone.objectId()).setNumber(gone.number()));
      }
    }
  }

  /** Something was recalled since the last renewal was made: the manager waits for that word. */
  public boolean isUrgent() {
    return untold.isUrgent();
  }

  /** What the next renewal has to say. If it is lost, what is waited for is recalled again. */
  public void addTo(RenewSessionRequest.Builder renewal) {
    untold.addTo(renewal);
  }

  /**
   * A renewal was answered.
   *
   * @param sentNanos when it was sent
   */
  public void renewed(RenewSessionRequest sent, long sentNanos, RenewSessionReply reply) {
    if (ended || reply.getEpoch() < epoch) {
      return;
    }
    if (reply.getEpoch() > epoch) {
      // Another manager does not know what this one granted, and waits for what is dropped.
      dropAll(Lsn.of(reply.getEpoch(), 0).value(), false);
      untold.forget();
      lease.end();
      epoch = reply.getEpoch();
    } else {
      untold.answered(sent);
    }
    if (reply.getReadLeaseMillis() == 0) {
      return;
    }
    if (!lease.holds() || reply.getRecalledAll()) {
      dropAll(reply.getReadNumber(), reply.getRecalledAll());
    } else if (reply.getRecalledObjectCount() > 0) {
      recalled(reply.getRecalledObjectList(), reply.getReadNumber());
    }
    lease.renewed(sentNanos, TimeUnit.MILLISECONDS.toNanos(reply.getReadLeaseMillis()));
  }

  /** The session has ended, or is about to: nothing is relied on any more. */
  public void end() {
    ended = true;
    lease.end();
    nodes.clear().forEach(this::dropped);
    drops.incrementAndGet();
  }

  /** Nodes, names and listed entries that are known. */
  public long weight() {
    return nodes.weight();
  }

  /** What is granted now could be relied on. */
  public boolean isUseful() {
    return lease.holds();
  }
}
