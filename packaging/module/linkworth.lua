-- For Lmod: put this file into a folder of MODULEPATH as linkworth/@version@.lua, and set the prefix. Install there by:
--   python3 -m venv PREFIX/venv && PREFIX/venv/bin/pip install linkworth==@version@
--   mkdir PREFIX/bin && ln -s ../venv/bin/linkworth PREFIX/bin/
local prefix = "/opt/linkworth/@version@"

whatis("Name: linkworth")
whatis("Version: @version@")
whatis("Description: @summary@")
help([[linkworth @version@ uses the MPI that is loaded. Start with: linkworth doctor]])
conflict("linkworth")
-- This folder contains only the command, so that the module leaves the user's Python alone.
prepend_path("PATH", pathJoin(prefix, "bin"))
