package org.weft.metadata.attributes;

import com.google.protobuf.ByteString;
import java.util.Collections;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SortedMap;
import org.weft.metadata.acl.Acls;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.layout.StorageMap;
import org.weft.protocol.wire.LayoutMessage;

/** Puts {@link Attributes} together. Not thread-safe. */
public final class AttributesBuilder {
  private final ObjectId object;
  private final NodeKind kind;
  private int mode;
  private String owner = "";
  private String group = "";
  private long sizeBytes;
  private Times times = Times.of(0);
  private int links = 1;
  private StorageMap map;
  private ParentHint parent = ParentHint.NONE;
  private Truncation truncation = Truncation.NONE;
  private Lsn changeLsn = Lsn.ZERO;
  private ByteString symlinkTarget = ByteString.EMPTY;
  private long entries;
  private Lsn createGrant = Lsn.ZERO;
  private SortedMap<String, ByteString> xattrs = Collections.emptySortedMap();
  private Optional<LayoutMessage> defaultLayout = Optional.empty();
  private boolean unwritten;
  private Device device = Device.NONE;
  private OptionalLong createVerifier = OptionalLong.empty();
  private ObjectId quotaTree = Attributes.UNCOUNTED;
  private Acls acls = Acls.NONE;

  AttributesBuilder(ObjectId object, NodeKind kind, StorageMap map) {
    this.object = object;
    this.kind = kind;
    this.map = map;
  }

  AttributesBuilder(Attributes from) {
    this(from.object(), from.kind(), from.map());
    this.mode = from.mode();
    this.owner = from.owner();
    this.group = from.group();
    this.sizeBytes = from.sizeBytes();
    this.times = from.times();
    this.links = from.links();
    this.parent = from.parent();
    this.truncation = from.truncation();
    this.changeLsn = from.changeLsn();
    this.symlinkTarget = from.symlinkTarget();
    this.entries = from.entries();
    this.createGrant = from.createGrant();
    this.xattrs = from.xattrs();
    this.defaultLayout = from.defaultLayout();
    this.unwritten = from.unwritten();
    this.device = from.device();
    this.createVerifier = from.createVerifier();
    this.quotaTree = from.quotaTree();
    this.acls = from.acls();
  }

  public AttributesBuilder mode(int value) {
    mode = value;
    return this;
  }

  public AttributesBuilder owner(String value) {
    owner = value;
    return this;
  }

  public AttributesBuilder group(String value) {
    group = value;
    return this;
  }

  public AttributesBuilder sizeBytes(long value) {
    sizeBytes = value;
    return this;
  }

  public AttributesBuilder times(Times value) {
    times = value;
    return this;
  }

  public AttributesBuilder links(int value) {
    links = value;
    return this;
  }

  public AttributesBuilder map(StorageMap value) {
    map = value;
    return this;
  }

  public AttributesBuilder parent(ParentHint value) {
    parent = value;
    return this;
  }

  public AttributesBuilder truncation(Truncation value) {
    truncation = value;
    return this;
  }

  public AttributesBuilder changeLsn(Lsn value) {
    changeLsn = value;
    return this;
  }

  public AttributesBuilder symlinkTarget(ByteString value) {
    symlinkTarget = value;
    return this;
  }

  public AttributesBuilder entries(long value) {
    entries = value;
    return this;
  }

  public AttributesBuilder createGrant(Lsn value) {
    createGrant = value;
    return this;
  }

  public AttributesBuilder xattrs(SortedMap<String, ByteString> value) {
    xattrs = value;
    return this;
  }

  public AttributesBuilder defaultLayout(Optional<LayoutMessage> value) {
    defaultLayout = value;
    return this;
  }

  /** True while it has no length, was never truncated, and lost no component. */
  public AttributesBuilder unwritten(boolean value) {
    unwritten = value;
    return this;
  }

  public AttributesBuilder device(Device value) {
    device = value;
    return this;
  }

  public AttributesBuilder createVerifier(OptionalLong value) {
    createVerifier = value;
    return this;
  }

  public AttributesBuilder quotaTree(ObjectId value) {
    quotaTree = value;
    return this;
  }

  public AttributesBuilder acls(Acls value) {
    acls = value;
    return this;
  }

  public Attributes build() {
    boolean blank = sizeBytes == 0 && truncation.number() == 0 && map.missing().isEmpty();
    return new Attributes(
        object,
        kind,
        mode,
        owner,
        group,
        sizeBytes,
        times,
        links,
        map,
        parent,
        truncation,
        changeLsn,
        symlinkTarget,
        entries,
        createGrant,
        xattrs,
        defaultLayout,
        unwritten && blank,
        device,
        createVerifier,
        quotaTree,
        acls);
  }
}
