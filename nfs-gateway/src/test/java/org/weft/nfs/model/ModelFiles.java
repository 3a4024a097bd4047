package org.weft.nfs.model;

import java.util.HashMap;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.weft.client.ids.AttributesWish;
import org.weft.client.ids.NodeId;
import org.weft.client.ids.NodeType;
import org.weft.client.ids.TimeWish;
import org.weft.nfs.files.FileError;
import org.weft.nfs.files.FileException;
import org.weft.nfs.files.Touched;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.id.PartitionId;

/** The nodes of the model and its clock. All under its own monitor. */
class ModelFiles {
  static final long VOLUME = 7;
  static final long SECOND_VOLUME = 8;

  private static final long FIRST_NANOS = 1_700_000_000_000_000_000L;

  /** What an operation does under the monitor. */
  @FunctionalInterface
  interface Step<T> {
    T run() throws FileException;
  }

  private final Map<NodeId, ModelNode> nodes = new HashMap<>();
  private long nextObject = ObjectId.FIRST_ISSUED;
  private long nowNanos = FIRST_NANOS;
  private long verifier = 1;

  ModelFiles() {
    ModelNode root = newRoot(VOLUME);
    root.parent = root.id;
  }

  private ModelNode newRoot(long volume) {
    ModelNode root =
        new ModelNode(
            new NodeId(new PartitionId(volume), ObjectId.ROOT),
            NodeType.DIRECTORY,
            0777,
            "root",
            "root");
    root.links = 2;
    stamp(root);
    nodes.put(root.id, root);
    return root;
  }

  /** Another volume whose root is a directory of the first one. */
  public final synchronized NodeId mountSecondVolume(String name) {
    ModelNode root = newRoot(SECOND_VOLUME);
    ModelNode above = nodes.get(NodeId.of(VOLUME, ObjectId.ROOT.value()));
    root.parent = above.id;
    above.add(name, root.id);
    above.links++;
    return root.id;
  }

  /** The server dies and comes back: bytes that were not synced are lost. */
  public final synchronized void crash() {
    nodes.values().forEach(ModelNode::crash);
    verifier++;
  }

  final long verifier() {
    return verifier;
  }

  final <T> CompletionStage<T> step(Step<T> step) {
    synchronized (this) {
      try {
        return CompletableFuture.completedFuture(step.run());
      } catch (FileException e) {
        return CompletableFuture.failedFuture(e);
      }
    }
  }

  final ModelNode node(NodeId id) throws FileException {
    ModelNode node = nodes.get(id);
    if (node == null) {
      throw new FileException(FileError.STALE, id + " is gone");
    }
    return node;
  }

  final ModelNode directory(NodeId id) throws FileException {
    ModelNode node = node(id);
    if (!node.isDirectory()) {
      throw new FileException(
          FileError.NOT_DIRECTORY, id + " is no directory", Touched.directory(node.attributes()));
    }
    return node;
  }

  final ModelNode newNode(NodeId directory, NodeType type, int mode, String owner, String group) {
    NodeId id = new NodeId(directory.volume(), new ObjectId(nextObject++));
    ModelNode node = new ModelNode(id, type, mode, owner, group);
    stamp(node);
    nodes.put(id, node);
    return node;
  }

  final void forget(ModelNode node) {
    nodes.remove(node.id);
  }

  /** A time that no node has yet. */
  final long tick() {
    nowNanos += 1_000;
    return nowNanos;
  }

  private void stamp(ModelNode node) {
    long now = tick();
    node.atimeNanos = now;
    node.mtimeNanos = now;
    node.ctimeNanos = now;
  }

  /** Its content changed. */
  final void modified(ModelNode node) {
    node.mtimeNanos = tick();
    node.ctimeNanos = node.mtimeNanos;
  }

  final void changed(ModelNode node) {
    node.ctimeNanos = tick();
  }

  /** Sets what is to be set; the caller was checked. */
  final void apply(ModelNode node, AttributesWish change) {
    if (change.equals(AttributesWish.NOTHING) && node.exclusive.isEmpty()) {
      return;
    }
    change.mode().ifPresent(mode -> node.mode = mode);
    change.owner().ifPresent(owner -> node.owner = owner);
    change.group().ifPresent(group -> node.group = group);
    node.exclusive = OptionalLong.empty();
    changed(node);
    if (change.sizeBytes().isPresent()) {
      node.resize(change.sizeBytes().getAsLong());
      node.mtimeNanos = node.ctimeNanos;
    }
    node.atimeNanos = time(change.atime(), node.atimeNanos, node.ctimeNanos);
    node.mtimeNanos = time(change.mtime(), node.mtimeNanos, node.ctimeNanos);
  }

  private static long time(TimeWish change, long current, long now) {
    if (change instanceof TimeWish.At at) {
      return at.nanos();
    }
    return change == TimeWish.NOW ? now : current;
  }
}
