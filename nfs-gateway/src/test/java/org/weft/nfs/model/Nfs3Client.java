package org.weft.nfs.model;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.weft.nfs.oncrpc.MalformedXdrException;
import org.weft.nfs.oncrpc.OncRpcClient;
import org.weft.nfs.oncrpc.RpcCredential;
import org.weft.nfs.oncrpc.XdrReader;
import org.weft.nfs.oncrpc.XdrWriter;
import org.weft.protocol.rpc.Payload;

/**
 * A client of NFS version 3 and MOUNT, written from the RFC and not from the server's classes. Each
 * call waits for its reply.
 */
public final class Nfs3Client {
  public static final int OK = 0;
  public static final int PERM = 1;
  public static final int NOENT = 2;
  public static final int ACCES = 13;
  public static final int EXIST = 17;
  public static final int XDEV = 18;
  public static final int NOTDIR = 20;
  public static final int ISDIR = 21;
  public static final int INVAL = 22;
  public static final int FBIG = 27;
  public static final int ROFS = 30;
  public static final int NAMETOOLONG = 63;
  public static final int NOTEMPTY = 66;
  public static final int STALE = 70;
  public static final int BADHANDLE = 10_001;
  public static final int NOT_SYNC = 10_002;
  public static final int BAD_COOKIE = 10_003;
  public static final int NOTSUPP = 10_004;
  public static final int TOOSMALL = 10_005;
  public static final int BADTYPE = 10_007;
  public static final int JUKEBOX = 10_008;

  public static final int UNSTABLE = 0;
  public static final int DATA_SYNC = 1;
  public static final int FILE_SYNC = 2;

  /** Attributes to set: bits of which. */
  public record Set(Integer mode, Integer uid, Integer gid, Long size, Long atime, Long mtime) {
    public static final Set NONE = new Set(null, null, null, null, null, null);

    public static Set mode(int mode) {
      return new Set(mode, null, null, null, null, null);
    }

    public static Set size(long size) {
      return new Set(null, null, null, size, null, null);
    }
  }

  /** An entry of a directory. */
  public record Entry(long fileId, String name, long cookie, Fattr attributes, byte[] handle) {}

  /** Any result; what a procedure does not have is empty. */
  public static final class Result {
    public int status;
    public byte[] handle;
    public Fattr node;
    public Fattr directory;
    public WccData wcc;
    public WccData second;
    public byte[] data;
    public boolean end;
    public int count;
    public int committed;
    public long verifier;
    public int access;
    public List<Entry> entries = new ArrayList<>();
    public List<Long> numbers = new ArrayList<>();
  }

  /** Fills in what follows the status. */
  @FunctionalInterface
  private interface Rest {
    void read(Result result, XdrReader in) throws MalformedXdrException;
  }

  private final RpcCaller rpc;
  private final RpcCredential credential;

  public Nfs3Client(RpcCaller rpc, int uid, int gid, Integer... gids) {
    this.rpc = rpc;
    this.credential = new RpcCredential.Sys(17, "client", uid, gid, List.of(gids));
  }

  public Nfs3Client(OncRpcClient rpc, int uid, int gid, Integer... gids) {
    this(RpcCaller.by(rpc), uid, gid, gids);
  }

  public Nfs3Client(OncRpcClient rpc) {
    this.rpc = RpcCaller.by(rpc);
    this.credential = new RpcCredential.None();
  }

  private Result call(int program, int procedure, Consumer<XdrWriter> arguments, Rest rest) {
    return rpc.call(
        new OncRpcClient.Target(program, 3, procedure),
        credential,
        arguments,
        in -> {
          Result result = new Result();
          result.status = in.int32();
          rest.read(result, in);
          if (in.remaining() != 0) {
            throw new MalformedXdrException(in.remaining() + " bytes are left over");
          }
          return result;
        });
  }

  private Result nfs(int procedure, Consumer<XdrWriter> arguments, Rest ok, Rest failed) {
    return call(
        100_003,
        procedure,
        arguments,
        (result, in) -> (result.status == OK ? ok : failed).read(result, in));
  }

  private static Consumer<XdrWriter> dirOp(byte[] directory, String name) {
    return out -> out.opaque(directory).opaque(name.getBytes(StandardCharsets.UTF_8));
  }

  private static void set(XdrWriter out, Set set) {
    optional(out, set.mode());
    optional(out, set.uid());
    optional(out, set.gid());
    out.bool(set.size() != null);
    if (set.size() != null) {
      out.int64(set.size());
    }
    time(out, set.atime());
    time(out, set.mtime());
  }

  private static void optional(XdrWriter out, Integer value) {
    out.bool(value != null);
    if (value != null) {
      out.int32(value);
    }
  }

  private static void time(XdrWriter out, Long nanos) {
    out.int32(nanos == null ? 0 : 2);
    if (nanos != null) {
      out.int32((int) (nanos / 1_000_000_000)).int32((int) (nanos % 1_000_000_000));
    }
  }

  private static final Rest NOTHING = (result, in) -> {};
  private static final Rest NODE = (result, in) -> result.node = Fattr.optional(in);
  private static final Rest DIRECTORY = (result, in) -> result.directory = Fattr.optional(in);
  private static final Rest WCC = (result, in) -> result.wcc = WccData.read(in);
  private static final Rest TWO_WCC =
      (result, in) -> {
        result.wcc = WccData.read(in);
        result.second = WccData.read(in);
      };
  private static final Rest MADE =
      (result, in) -> {
        result.handle = in.bool() ? in.opaque(64) : null;
        result.node = Fattr.optional(in);
        result.wcc = WccData.read(in);
      };

  public Result mount(String path) {
    return call(
        100_005,
        1,
        out -> out.opaque(path.getBytes(StandardCharsets.UTF_8)),
        (result, in) -> {
          if (result.status == OK) {
            result.handle = in.opaque(64);
            for (int i = in.count(16); i > 0; i--) {
              result.numbers.add(in.uint32());
            }
          }
        });
  }

  public Result getAttr(byte[] handle) {
    return nfs(1, out -> out.opaque(handle), (r, in) -> r.node = Fattr.read(in), NOTHING);
  }

  public Result setAttr(byte[] handle, Set set, Long guard) {
    return nfs(
        2,
        out -> {
          out.opaque(handle);
          set(out, set);
          out.bool(guard != null);
          if (guard != null) {
            out.int32((int) (guard / 1_000_000_000)).int32((int) (guard % 1_000_000_000));
          }
        },
        WCC,
        WCC);
  }

  public Result lookup(byte[] directory, String name) {
    return nfs(
        3,
        dirOp(directory, name),
        (r, in) -> {
          r.handle = in.opaque(64);
          r.node = Fattr.optional(in);
          r.directory = Fattr.optional(in);
        },
        DIRECTORY);
  }

  public Result access(byte[] handle, int wanted) {
    return nfs(
        4,
        out -> out.opaque(handle).int32(wanted),
        (r, in) -> {
          r.node = Fattr.optional(in);
          r.access = in.int32();
        },
        NODE);
  }

  public Result readLink(byte[] handle) {
    return nfs(
        5,
        out -> out.opaque(handle),
        (r, in) -> {
          r.node = Fattr.optional(in);
          r.data = in.opaque(4_096);
        },
        NODE);
  }

  public Result read(byte[] handle, long offset, int count) {
    return nfs(
        6,
        out -> out.opaque(handle).int64(offset).int32(count),
        (r, in) -> {
          r.node = Fattr.optional(in);
          r.count = in.int32();
          r.end = in.bool();
          r.data = in.opaque(1 << 20);
        },
        NODE);
  }

  public Result write(byte[] handle, long offset, int stable, byte[] data) {
    return nfs(
        7,
        out ->
            out.opaque(handle)
                .int64(offset)
                .int32(data.length)
                .int32(stable)
                .payload(Payload.of(ByteBuffer.wrap(data))),
        (r, in) -> {
          r.wcc = WccData.read(in);
          r.count = in.int32();
          r.committed = in.int32();
          r.verifier = in.int64();
        },
        WCC);
  }

  public Result create(byte[] directory, String name, boolean guarded, Set set) {
    return nfs(
        8,
        dirOp(directory, name)
            .andThen(
                out -> {
                  out.int32(guarded ? 1 : 0);
                  set(out, set);
                }),
        MADE,
        WCC);
  }

  public Result createExclusive(byte[] directory, String name, long verifier) {
    return nfs(8, dirOp(directory, name).andThen(out -> out.int32(2).int64(verifier)), MADE, WCC);
  }

  public Result mkDir(byte[] directory, String name, Set set) {
    return nfs(9, dirOp(directory, name).andThen(out -> set(out, set)), MADE, WCC);
  }

  public Result symlink(byte[] directory, String name, byte[] target) {
    return nfs(
        10,
        dirOp(directory, name)
            .andThen(
                out -> {
                  set(out, Set.NONE);
                  out.opaque(target);
                }),
        MADE,
        WCC);
  }

  public Result mkNod(byte[] directory, String name, int type, int major, int minor) {
    return nfs(
        11,
        dirOp(directory, name)
            .andThen(
                out -> {
                  out.int32(type);
                  if (type == 3 || type == 4 || type == 6 || type == 7) {
                    set(out, Set.NONE);
                  }
                  if (type == 3 || type == 4) {
                    out.int32(major).int32(minor);
                  }
                }),
        MADE,
        WCC);
  }

  public Result remove(byte[] directory, String name) {
    return nfs(12, dirOp(directory, name), WCC, WCC);
  }

  public Result rmDir(byte[] directory, String name) {
    return nfs(13, dirOp(directory, name), WCC, WCC);
  }

  public Result rename(byte[] from, String oldName, byte[] to, String newName) {
    return nfs(14, dirOp(from, oldName).andThen(dirOp(to, newName)), TWO_WCC, TWO_WCC);
  }

  public Result link(byte[] file, byte[] directory, String name) {
    Rest both =
        (r, in) -> {
          r.node = Fattr.optional(in);
          r.wcc = WccData.read(in);
        };
    Consumer<XdrWriter> first = out -> out.opaque(file);
    return nfs(15, first.andThen(dirOp(directory, name)), both, both);
  }

  public Result readDir(byte[] directory, long cookie, long verifier, int count) {
    return nfs(
        16,
        out -> out.opaque(directory).int64(cookie).int64(verifier).int32(count),
        (r, in) -> entries(r, in, false),
        DIRECTORY);
  }

  public Result readDirPlus(byte[] directory, long cookie, int names, int count) {
    return nfs(
        17,
        out -> out.opaque(directory).int64(cookie).int64(0).int32(names).int32(count),
        (r, in) -> entries(r, in, true),
        DIRECTORY);
  }

  private static void entries(Result r, XdrReader in, boolean plus) throws MalformedXdrException {
    r.count = in.remaining();
    r.directory = Fattr.optional(in);
    r.verifier = in.int64();
    while (in.bool()) {
      long fileId = in.int64();
      String name = new String(in.opaque(255), StandardCharsets.UTF_8);
      long cookie = in.int64();
      Fattr attributes = plus ? Fattr.optional(in) : null;
      byte[] handle = plus && in.bool() ? in.opaque(64) : null;
      r.entries.add(new Entry(fileId, name, cookie, attributes, handle));
    }
    r.end = in.bool();
  }

  /** FSSTAT, FSINFO or PATHCONF: numbers in their order. */
  public Result numbers(int procedure, byte[] handle) {
    return nfs(
        procedure,
        out -> out.opaque(handle),
        (r, in) -> {
          r.node = Fattr.optional(in);
          if (procedure == 18) {
            many64(r, in, 6);
            many32(r, in, 1);
          } else if (procedure == 19) {
            many32(r, in, 7);
            many64(r, in, 1);
            many32(r, in, 3);
          } else {
            many32(r, in, 6);
          }
        },
        NODE);
  }

  private static void many32(Result r, XdrReader in, int count) throws MalformedXdrException {
    for (int i = 0; i < count; i++) {
      r.numbers.add(in.uint32());
    }
  }

  private static void many64(Result r, XdrReader in, int count) throws MalformedXdrException {
    for (int i = 0; i < count; i++) {
      r.numbers.add(in.int64());
    }
  }

  public Result commit(byte[] handle, long offset, int count) {
    return nfs(
        21,
        out -> out.opaque(handle).int64(offset).int32(count),
        (r, in) -> {
          r.wcc = WccData.read(in);
          r.verifier = in.int64();
        },
        WCC);
  }
}
