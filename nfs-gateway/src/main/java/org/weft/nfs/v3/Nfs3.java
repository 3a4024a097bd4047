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
    Nfs3Services nfs = new Nfs3Services(files, gate);
    Map<Integer, RpcProcedure> procedures = new HashMap<>();
    procedures.put(1, new GetAttr(nfs));
    procedures.put(2, new SetAttr(nfs));
    procedures.put(3, new Lookup(nfs));
    procedures.put(4, new Access(nfs));
    procedures.put(5, new ReadLink(nfs));
    procedures.put(6, new Read(nfs));
    procedures.put(7, new Write(nfs));
    procedures.put(8, new Create(nfs));
    procedures.put(9, new MkDir(nfs));
    procedures.put(10, new Symlink(nfs));
    procedures.put(11, new MkNod(nfs));
    procedures.put(12, new Remove(nfs, nfs.files()::remove));
    procedures.put(13, new Remove(nfs, nfs.files()::removeDirectory));
    procedures.put(14, new RenameProcedure(nfs));
    procedures.put(15, new Link(nfs));
    procedures.put(16, new ReadDir(nfs));
    procedures.put(17, new ReadDirPlus(nfs));
    procedures.put(18, new FsStat(nfs));
    procedures.put(19, new FsInfo(nfs));
    procedures.put(20, new PathConf(nfs));
    procedures.put(21, new Commit(nfs));
    return procedures;
  }
}
