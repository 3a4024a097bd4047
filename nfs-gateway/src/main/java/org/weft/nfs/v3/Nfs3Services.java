package org.weft.nfs.v3;

import org.weft.nfs.exports.Gatekeeper;
import org.weft.nfs.files.FileService;

/** What procedures use. */
record Nfs3Services(FileService files, Gatekeeper gate) {}
