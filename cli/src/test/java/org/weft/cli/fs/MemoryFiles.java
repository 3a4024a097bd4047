package org.weft.cli.fs;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.weft.client.FileStatus;
import org.weft.client.FileType;
import org.weft.client.SpaceStatus;
import org.weft.client.WeftPath;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.layout.Layout;
import org.weft.protocol.layout.StorageMap;
import org.weft.protocol.rpc.ErrorCode;
import org.weft.protocol.rpc.RpcException;

/**
 * A tree of files in memory, by the rules of the manager. Thread-safe. Paths can be made to fail.
 */
final class MemoryFiles implements RemoteFiles {
  private static final long MTIME_MILLIS = 1_795_000_000_000L;

  private record Node(FileType type, int mode, byte[] bytes) {}

  private final Map<WeftPath, Node> nodes = new TreeMap<>();
  private final Map<WeftPath, ErrorCode> broken = new TreeMap<>();
  private int renames;

  MemoryFiles() {
    nodes.put(WeftPath.ROOT, new Node(FileType.DIRECTORY, 0755, new byte[0]));
  }

  /** Every request on this path fails so. */
  synchronized void breakAt(String path, ErrorCode code) {
    broken.put(WeftPath.of(path), code);
  }

  synchronized void file(String path, byte[] bytes) {
    nodes.put(WeftPath.of(path), new Node(FileType.FILE, 0644, bytes));
  }

  synchronized void directory(String path) {
    nodes.put(WeftPath.of(path), new Node(FileType.DIRECTORY, 0755, new byte[0]));
  }

  synchronized byte[] bytesOf(String path) {
    return nodes.get(WeftPath.of(path)).bytes;
  }

  synchronized int modeOf(String path) {
    return nodes.get(WeftPath.of(path)).mode;
  }

  /** Every path but the root, sorted. */
  synchronized List<String> paths() {
    return nodes.keySet().stream().filter(path -> !path.isRoot()).map(WeftPath::toString).toList();
  }

  synchronized int renames() {
    return renames;
  }

  private void check(WeftPath path) throws IOException {
    ErrorCode code = broken.get(path);
    if (code != null) {
      throw new RpcException(code, path + ": made to fail");
    }
  }

  private Node require(WeftPath path) throws IOException {
    check(path);
    Node node = nodes.get(path);
    if (node == null) {
      throw new RpcException(ErrorCode.NOT_FOUND, path + ": no such file or directory");
    }
    return node;
  }

  private void requireParent(WeftPath path) throws IOException {
    WeftPath parent = path.parent().orElseThrow();
    if (require(parent).type != FileType.DIRECTORY) {
      throw new RpcException(ErrorCode.NOT_DIRECTORY, parent + ": not a directory");
    }
  }

  private List<WeftPath> childrenOf(WeftPath directory) {
    return nodes.keySet().stream()
        .filter(path -> path.parent().equals(Optional.of(directory)))
        .toList();
  }

  private FileStatus status(WeftPath path, Node node) {
    boolean file = node.type == FileType.FILE;
    return new FileStatus(
        path,
        node.type,
        70_000,
        node.bytes.length,
        node.mode,
        "ann",
        "staff",
        MTIME_MILLIS,
        MTIME_MILLIS,
        MTIME_MILLIS,
        file ? 0 : childrenOf(path).size(),
        file
            ? Optional.of(
                StorageMap.of(Layout.of(2, 1), List.of(new OsdId(3), new OsdId(1), new OsdId(2))))
            : Optional.empty(),
        1,
        1,
        Optional.empty(),
        Optional.empty());
  }

  @Override
  public synchronized Optional<FileStatus> find(WeftPath path) throws IOException {
    check(path);
    return Optional.ofNullable(nodes.get(path)).map(node -> status(path, node));
  }

  @Override
  public synchronized Entries list(WeftPath directory) throws IOException {
    if (require(directory).type != FileType.DIRECTORY) {
      throw new RpcException(ErrorCode.NOT_DIRECTORY, directory + ": not a directory");
    }
    List<FileStatus> statuses = new ArrayList<>();
    // Backwards: a real directory is not in the order of names either.
    childrenOf(directory).forEach(path -> statuses.add(0, status(path, nodes.get(path))));
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
    Node there = nodes.get(path);
    if (there != null) {
      if (parents && there.type == FileType.DIRECTORY) {
        return;
      }
      throw new RpcException(ErrorCode.EXISTS, path + ": exists");
    }
    if (parents) {
      mkdir(path.parent().orElseThrow(), mode, true);
    }
    requireParent(path);
    nodes.put(path, new Node(FileType.DIRECTORY, mode, new byte[0]));
  }

  @Override
  public synchronized Output create(WeftPath path, int mode) throws IOException {
    check(path);
    requireParent(path);
    nodes.put(path, new Node(FileType.FILE, mode, new byte[0]));
    return new Written(path, mode);
  }

  /** Bytes that show when they are closed. */
  private final class Written extends Output {
    private final WeftPath path;
    private final int mode;
    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

    private Written(WeftPath path, int mode) {
      this.path = path;
      this.mode = mode;
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
        nodes.put(path, new Node(FileType.FILE, mode, bytes.toByteArray()));
      }
    }

    @Override
    void abort() {}
  }

  @Override
  public synchronized InputStream open(WeftPath path) throws IOException {
    Node node = require(path);
    if (node.type == FileType.DIRECTORY) {
      throw new RpcException(ErrorCode.IS_DIRECTORY, path + ": is a directory");
    }
    return new ByteArrayInputStream(node.bytes);
  }

  @Override
  public synchronized void rename(WeftPath source, WeftPath target, boolean replace)
      throws IOException {
    Node node = require(source);
    check(target);
    requireParent(target);
    Node there = nodes.get(target);
    if (there != null && (!replace || there.type != node.type)) {
      throw new RpcException(ErrorCode.EXISTS, target + ": exists");
    }
    List<WeftPath> moved = nodes.keySet().stream().filter(path -> path.startsWith(source)).toList();
    for (WeftPath path : moved) {
      String below = path.toString().substring(source.toString().length());
      nodes.put(WeftPath.of(target + below), nodes.remove(path));
    }
    renames++;
  }

  @Override
  public synchronized void unlink(WeftPath path) throws IOException {
    if (require(path).type == FileType.DIRECTORY) {
      throw new RpcException(ErrorCode.IS_DIRECTORY, path + ": is a directory");
    }
    nodes.remove(path);
  }

  @Override
  public synchronized void rmdir(WeftPath path) throws IOException {
    if (require(path).type != FileType.DIRECTORY) {
      throw new RpcException(ErrorCode.NOT_DIRECTORY, path + ": not a directory");
    }
    if (!childrenOf(path).isEmpty()) {
      throw new RpcException(ErrorCode.NOT_EMPTY, path + ": not empty");
    }
    nodes.remove(path);
  }

  @Override
  public SpaceStatus space() {
    return new SpaceStatus(6L << 30, 1L << 30, 5L << 30, 1_234);
  }
}
