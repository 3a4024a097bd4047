package org.weft.nfs.v3;

import java.util.HashMap;
import java.util.Map;
import org.weft.nfs.exports.Gatekeeper;
import org.weft.nfs.files.FileService;
import org.weft.nfs.oncrpc.RpcProcedure;
import org.weft.nfs.oncrpc.RpcProgram;

/**
 * The program: what its procedures use, and their numbers (RFC 1813 section 3). Version 4 is
 * answered with PROG_MISMATCH, so that clients that begin with it fall back to 3.
 */
public record Nfs3(FileService files, Gatekeeper gate) {
  public static final int PROGRAM = 100_003;
  public static final int VERSION = 3;

  public RpcProgram program() {
    return new RpcProgram(PROGRAM, "nfs").version(VERSION, procedures());
  }

  Map<Integer, RpcProcedure> procedures() {
    Map<Integer, RpcProcedure> procedures = new HashMap<>();
    procedures.put(1, new GetAttr(this));
    procedures.put(2, new SetAttr(this));
    procedures.put(3, new Lookup(this));
    procedures.put(4, new Access(this));
    procedures.put(5, new ReadLink(this));
    procedures.put(6, new Read(this));
    procedures.put(7, new Write(this));
    procedures.put(8, new Create(this));
    procedures.put(9, new MkDir(this));
    procedures.put(10, new Symlink(this));
    procedures.put(11, new MkNod(this));
    procedures.put(12, new Remove(this));
    procedures.put(13, new RmDir(this));
    procedures.put(14, new Rename(this));
    procedures.put(15, new Link(this));
    procedures.put(16, new ReadDir(this));
    procedures.put(17, new ReadDirPlus(this));
    procedures.put(18, new FsStat(this));
    procedures.put(19, new FsInfo(this));
    procedures.put(20, new PathConf(this));
    procedures.put(21, new Commit(this));
    return procedures;
  }
}
