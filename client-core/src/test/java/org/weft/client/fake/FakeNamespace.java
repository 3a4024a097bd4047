package org.weft.client.fake;

import com.google.protobuf.ByteString;
import com.google.protobuf.MessageLite;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.weft.protocol.capability.Capability;
import org.weft.protocol.capability.Right;
import org.weft.protocol.capability.SignedCapability;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.id.ObjectName;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.layout.Layout;
import org.weft.protocol.layout.StorageMap;
import org.weft.protocol.rpc.Opcode;
import org.weft.protocol.wire.AttributesReply;
import org.weft.protocol.wire.CloseRequest;
import org.weft.protocol.wire.CloseUnwrittenRequest;
import org.weft.protocol.wire.CreateReply;
import org.weft.protocol.wire.CreateRequest;
import org.weft.protocol.wire.DirectoryEntry;
import org.weft.protocol.wire.Empty;
import org.weft.protocol.wire.FileAttributes;
import org.weft.protocol.wire.FileKind;
import org.weft.protocol.wire.Grant;
import org.weft.protocol.wire.LostComponent;
import org.weft.protocol.wire.NodeRef;
import org.weft.protocol.wire.OpenReply;
import org.weft.protocol.wire.OpenRequest;
import org.weft.protocol.wire.PublishRequest;
import org.weft.protocol.wire.ReaddirReply;
import org.weft.protocol.wire.ReaddirRequest;
import org.weft.protocol.wire.RegrantReply;
import org.weft.protocol.wire.RegrantRequest;
import org.weft.protocol.wire.ReportRequest;
import org.weft.protocol.wire.SetLengthRequest;
import org.weft.protocol.wire.TrimmedRequest;
import org.weft.protocol.wire.UnwrittenFile;

/**
 * Files in one flat directory, with maps and capabilities that fake OSDs accept, and one write
 * grant at a time on each (P 5.8, 6.5).
 */
public final class FakeNamespace implements FakeManager.Files {
  private static final long FIRST_OBJECT = 70_000;
  private static final int READ_RIGHTS = Right.READ.bit() | Right.READ_ATTRIBUTES.bit();
  private static final int WRITE_RIGHTS = READ_RIGHTS | Right.WRITE.bit() | Right.CREATE.bit();

  private final byte[] workingKey;
  private final Layout layout;
  private final Map<String, FileAttributes> files = new TreeMap<>();
  private final List<ReportRequest> reports = new ArrayList<>();
  private final List<CloseRequest> closes = new ArrayList<>();
  private final Map<Long, Long> grants = new TreeMap<>();
  private final Set<Integer> givenUp = new TreeSet<>();
  private long nextObject = FIRST_OBJECT;
  private long nextGrant = 1;
  private long version;
  private boolean cutsAreOfSharedFiles;

  public FakeNamespace(byte[] workingKey, Layout layout) {
    this.workingKey = workingKey.clone();
    this.layout = layout;
  }

  /** What clients told of components that failed. */
  public List<ReportRequest> reports() {
    return reports;
  }

  public List<CloseRequest> closes() {
    return closes;
  }

  public FileAttributes file(String name) {
    return files.get(name);
  }

  /** Capabilities of earlier grants are made out for a smaller number than OSDs will take. */
  public void raiseVersion(long grantIndex) {
    version = Lsn.of(1, grantIndex).value();
  }

  /** An OSD that the cluster has given up: files may be written without it (P 5.8). */
  public void giveUp(OsdId osd) {
    givenUp.add(osd.value());
  }

  /** A cut gives a newer grant, as that of a file that is open shared (P 6.5.76). */
  public void shareFiles() {
    cutsAreOfSharedFiles = true;
  }

  /** Another client takes the file from its writer. */
  public void revoke(String name) {
    grants.remove(files.get(name).getObjectId());
  }

  /** As an entry only, of no length. */
  public void put(String name) {
    files.put(name, attributes(name));
  }

  @Override
  public MessageLite execute(Opcode opcode, MessageLite request) throws WeftException {
    switch (opcode) {
      case CREATE_FILE:
        return create((CreateRequest) request);
      case OPEN_FILE:
        OpenRequest open = (OpenRequest) request;
        return open(open.getNode(), open.getWrite());
      case PUBLISH:
        return publish((PublishRequest) request);
      case SET_LENGTH:
        return setLength((SetLengthRequest) request);
      case TRIMMED:
        return trimmed((TrimmedRequest) request);
      case REGRANT:
        return regrant((RegrantRequest) request);
      case CLOSE_FILE:
        return close((CloseRequest) request);
      case CLOSE_UNWRITTEN:
        return closeUnwritten((CloseUnwrittenRequest) request);
      case READDIR:
        return readdir((ReaddirRequest) request);
      case REPORT:
        reports.add((ReportRequest) request);
        return Empty.getDefaultInstance();
      default:
        return AttributesReply.newBuilder()
            .setAttributes(FileAttributes.newBuilder().setKind(FileKind.DIRECTORY))
            .build();
    }
  }

  private FileAttributes attributes(String name) {
    List<OsdId> osds = new ArrayList<>();
    for (int osd = 1; osd <= layout.componentCount(); osd++) {
      osds.add(new OsdId(osd));
    }
    return FileAttributes.newBuilder()
        .setObjectId(nextObject++)
        .setKind(FileKind.FILE)
        .setMode(0644)
        .setOwner("ann")
        .setGroup("staff")
        .setMap(StorageMap.of(layout, osds).toMessage())
        .setParentName(name)
        .build();
  }

  private MessageLite create(CreateRequest request) throws WeftException {
    String name = request.getNode().getPath();
    if (files.containsKey(name) && !request.getOverwrite()) {
      throw new WeftException(ErrorCode.EXISTS, "/" + name + ": exists");
    }
    FileAttributes made = attributes(name);
    files.put(name, made);
    return CreateReply.newBuilder().setAttributes(made).setGrant(writeGrant(made, 0)).build();
  }

  private MessageLite open(NodeRef node, boolean forWriting) throws WeftException {
    String name = node.getPath();
    FileAttributes found =
        files.values().stream()
            .filter(file -> name.isEmpty() && file.getObjectId() == node.getBaseObjectId())
            .findFirst()
            .orElse(files.get(name));
    if (found == null) {
      throw new WeftException(ErrorCode.NOT_FOUND, "/" + name + ": no such file");
    }
    boolean beingWritten = grants.containsKey(found.getObjectId());
    if (!forWriting) {
      Grant grant =
          grant(found, READ_RIGHTS, nextNumber(), 0).setBeingWritten(beingWritten).build();
      return OpenReply.newBuilder().setAttributes(found).setGrant(grant).build();
    }
    if (beingWritten) {
      throw new WeftException(ErrorCode.BEING_WRITTEN, "/" + name + ": being written");
    }
    return OpenReply.newBuilder().setAttributes(found).setGrant(writeGrant(found, 1)).build();
  }

  private long nextNumber() {
    return Math.max(version, Lsn.of(1, nextGrant++).value());
  }

  private Grant writeGrant(FileAttributes file, int floor) {
    long number = nextNumber();
    grants.put(file.getObjectId(), number);
    return grant(file, WRITE_RIGHTS, number, floor * number).build();
  }

  private Grant.Builder grant(FileAttributes file, int rights, long number, long floor) {
    SignedCapability capability =
        SignedCapability.sign(
            new Capability(
                ObjectName.of(FakeClusterWorld.ROOT_VOLUME, file.getObjectId()),
                rights,
                1,
                number,
                floor,
                Long.MAX_VALUE,
                Long.MAX_VALUE,
                1,
                1,
                0),
            workingKey);
    return Grant.newBuilder()
        .setNumber(number)
        .setMap(file.getMap())
        .setCapability(capability.encoded())
        .setSecret(ByteString.copyFrom(capability.secret()))
        .setTruncationNumber(file.getTruncationNumber())
        .setHasTrim(file.getHasTrim())
        .setTrim(file.getTrim())
        .setMetaCopies(2);
  }

  private Map.Entry<String, FileAttributes> held(long objectId, long grant) throws WeftException {
    if (grants.getOrDefault(objectId, 0L) != grant) {
      throw new WeftException(ErrorCode.GRANT_REVOKED, "grant " + new Lsn(grant) + " has ended");
    }
    return entry(objectId);
  }

  private Map.Entry<String, FileAttributes> entry(long objectId) {
    return files.entrySet().stream()
        .filter(entry -> entry.getValue().getObjectId() == objectId)
        .findFirst()
        .orElseThrow();
  }

  private MessageLite publish(PublishRequest request) throws WeftException {
    Map.Entry<String, FileAttributes> entry = held(request.getObjectId(), request.getGrant());
    entry.setValue(entry.getValue().toBuilder().setSize(request.getSize()).build());
    return AttributesReply.newBuilder().setAttributes(entry.getValue()).build();
  }

  private MessageLite setLength(SetLengthRequest request) throws WeftException {
    Map.Entry<String, FileAttributes> entry = held(request.getObjectId(), request.getGrant());
    FileAttributes.Builder file = entry.getValue().toBuilder();
    boolean cuts = request.getSize() < file.getSize();
    if (cuts) {
      file.setTruncationNumber(file.getTruncationNumber() + 1)
          .setHasTrim(true)
          .setTrim(request.getSize());
    }
    entry.setValue(file.setSize(request.getSize()).build());
    AttributesReply.Builder reply = AttributesReply.newBuilder().setAttributes(entry.getValue());
    return cuts && cutsAreOfSharedFiles
        ? reply.setGrant(writeGrant(entry.getValue(), 1)).build()
        : reply.build();
  }

  private MessageLite trimmed(TrimmedRequest request) throws WeftException {
    Map.Entry<String, FileAttributes> entry = held(request.getObjectId(), request.getGrant());
    if (request.getTruncationNumber() != entry.getValue().getTruncationNumber()) {
      throw new WeftException(ErrorCode.INVALID_ARGUMENT, "another truncation");
    }
    entry.setValue(entry.getValue().toBuilder().clearHasTrim().clearTrim().build());
    return AttributesReply.newBuilder().setAttributes(entry.getValue()).build();
  }

  private MessageLite regrant(RegrantRequest request) throws WeftException {
    Map.Entry<String, FileAttributes> entry = held(request.getObjectId(), request.getGrant());
    StorageMap map = StorageMap.fromMessage(entry.getValue().getMap());
    TreeSet<Integer> missing = new TreeSet<>(map.missing());
    for (LostComponent lost : request.getLostList()) {
      if (givenUp.contains(lost.getOsd())) {
        missing.add(lost.getComponentIndex());
      }
    }
    if (missing.size() == map.missing().size()) {
      throw new WeftException(ErrorCode.UNAVAILABLE, "none of them is given up");
    }
    if (missing.size() > layout.parityUnits()) {
      throw new WeftException(ErrorCode.TOO_MANY_LOST, "components " + missing + " are lost");
    }
    StorageMap next =
        new StorageMap(
            layout, map.components(), map.generation() + 1, missing, map.attributeOsds());
    FileAttributes changed = entry.getValue().toBuilder().setMap(next.toMessage()).build();
    entry.setValue(changed);
    return RegrantReply.newBuilder()
        .setAttributes(changed)
        .setGrant(writeGrant(changed, 1))
        .build();
  }

  private MessageLite close(CloseRequest request) {
    closes.add(request);
    grants.remove(request.getObjectId(), request.getGrant());
    FileAttributes closed = FileAttributes.getDefaultInstance();
    for (Map.Entry<String, FileAttributes> entry : files.entrySet()) {
      if (entry.getValue().getObjectId() == request.getObjectId()) {
        long size = Math.max(entry.getValue().getSize(), request.getSize());
        closed = entry.getValue().toBuilder().setSize(size).build();
        entry.setValue(closed);
      }
    }
    return AttributesReply.newBuilder().setAttributes(closed).build();
  }

  private MessageLite closeUnwritten(CloseUnwrittenRequest request) {
    for (UnwrittenFile file : request.getFilesList()) {
      var unused =
          close(
              CloseRequest.newBuilder()
                  .setObjectId(file.getObjectId())
                  .setGrant(file.getGrant())
                  .setUnwritten(true)
                  .build());
    }
    return Empty.getDefaultInstance();
  }

  /** Cookies count entries from 1. */
  private MessageLite readdir(ReaddirRequest request) {
    ReaddirReply.Builder reply = ReaddirReply.newBuilder();
    long cookie = 0;
    for (Map.Entry<String, FileAttributes> entry : files.entrySet()) {
      cookie++;
      if (cookie > request.getCookie() && reply.getEntriesCount() < request.getMaxEntries()) {
        reply.addEntries(
            DirectoryEntry.newBuilder()
                .setName(entry.getKey())
                .setObjectId(entry.getValue().getObjectId())
                .setKind(FileKind.FILE)
                .setCookie(cookie)
                .setAttributes(entry.getValue()));
      }
    }
    return reply.setEnd(request.getCookie() + reply.getEntriesCount() >= files.size()).build();
  }
}
